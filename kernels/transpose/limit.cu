// The limit: transposes at the speed of a copy, for elements of 4, 8, 2 and 1 bytes
// and for every shape.
//
// in: rows × columns, out: columns × rows, both row-major. One-dimensional grid
// ("linear"), one block a tile. What was chosen by measuring is a macro, so that a
// tuner can compile this source with other values in front of it:
//
//   LIMIT_ROWS, LIMIT_COLUMNS   the tile of `limit`, in elements of `in`
//   LIMIT_THREADS               threads of its block
//   LIMIT_F64_…, LIMIT_U16_…, LIMIT_U8_…   the same three for the other entries
//   LIMIT_ORDER   how the blocks walk over the tiles: 0 along the rows of `out`
//                 (down the columns of `in`), 1 along the rows of `in`,
//                 2 square by square of LIMIT_GROUP × LIMIT_GROUP tiles
//   LIMIT_HALVES  with order 0, whether the left and the right half of `in` are walked over
//                 by turns; if left out, where its rows lie a multiple of 128 KiB apart
//   LIMIT_LOAD    what the loads ask of the caches: 0 nothing, 1 .cs (streaming),
//                 2 L1::no_allocate, 3 L2::evict_last where the matrix has at least
//                 LIMIT_KEEP_BYTES, nothing below
//   LIMIT_STORE   what the stores ask: 0 nothing, 1 .cs (streaming), 2 .cg (no L1),
//                 3 L2::evict_last
//   LIMIT_ONLY    4, 8, 2 or 1: compile only the entry for elements of so many bytes
//   LIMIT_CHUNKS  1: patches turned in registers where rows begin at multiples of 16 bytes;
//                 0: every matrix as one whose rows begin anywhere
#ifndef LIMIT_ROWS
#define LIMIT_ROWS 64
#define LIMIT_COLUMNS 64
#define LIMIT_THREADS 256
#endif
#ifndef LIMIT_F64_ROWS
#define LIMIT_F64_ROWS 64
#define LIMIT_F64_COLUMNS 32
#define LIMIT_F64_THREADS 256
#endif
#ifndef LIMIT_U16_ROWS
#define LIMIT_U16_ROWS 128
#define LIMIT_U16_COLUMNS 128
#define LIMIT_U16_THREADS 256
#endif
#ifndef LIMIT_U8_ROWS
#define LIMIT_U8_ROWS 128
#define LIMIT_U8_COLUMNS 256
#define LIMIT_U8_THREADS 256
#endif
#ifndef LIMIT_ORDER
#define LIMIT_ORDER 0
#endif
#ifndef LIMIT_GROUP
#define LIMIT_GROUP 8
#endif
#ifndef LIMIT_HALVES
#define LIMIT_HALVES (pitch % (128u << 10) == 0)
#endif
#ifndef LIMIT_LOAD
#define LIMIT_LOAD 3
#endif
#ifndef LIMIT_STORE
#define LIMIT_STORE 0
#endif
#ifndef LIMIT_KEEP_BYTES
#define LIMIT_KEEP_BYTES (256u << 20)
#endif
#ifndef LIMIT_CHUNKS
#define LIMIT_CHUNKS 1
#endif

// The hint as PTX spells it, and the policy operand that L2::cache_hint needs.
#if LIMIT_LOAD == 0
#define LOAD "ld.global.v4.u32 {%0, %1, %2, %3}, [%4]"
#elif LIMIT_LOAD == 1
#define LOAD "ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]"
#elif LIMIT_LOAD == 2
#define LOAD "ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4]"
#else
#define LOAD "ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5"
#endif
#if LIMIT_STORE == 0
#define STORE "st.global.v4.u32 [%4], {%0, %1, %2, %3}"
#elif LIMIT_STORE == 1
#define STORE "st.global.cs.v4.u32 [%4], {%0, %1, %2, %3}"
#elif LIMIT_STORE == 2
#define STORE "st.global.cg.v4.u32 [%4], {%0, %1, %2, %3}"
#else
#define STORE "st.global.L2::cache_hint.v4.u32 [%4], {%0, %1, %2, %3}, %5"
#endif

// The policy that loads and stores with the hint 3 name: "throw out last" for a matrix of
// so many bytes that little of it stays in L2 anyway. A smaller one leaves L2 to `out`.
__device__ inline unsigned long long policy_for(size_t bytes)
{
#if LIMIT_LOAD == 3 || LIMIT_STORE == 3
    unsigned long long last, normal;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
    return bytes >= LIMIT_KEEP_BYTES ? last : normal;
#else
    return 0;
#endif
}

// 16 bytes: the most that a thread reads or writes at once.
struct alignas(16) Chunk {
    unsigned word[4];
};

__device__ inline Chunk load(const Chunk* from, unsigned long long policy)
{
    Chunk v;
    asm volatile(LOAD ";" : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(from), "l"(policy));
    return v;
}

__device__ inline void store(Chunk* to, const Chunk& v, unsigned long long policy)
{
    asm volatile(STORE ";" :: "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]), "l"(to), "l"(policy) : "memory");
}

// Column i of a square of 1, 2 or 4 elements a side, whose rows are `row`, one word each.
template <typename Word>
__device__ inline Word column_of(const Word (&row)[1], unsigned) { return row[0]; }

__device__ inline unsigned column_of(const unsigned (&row)[2], unsigned i)
{
    return __byte_perm(row[0], row[1], i ? 0x7632 : 0x5410);
}

__device__ inline unsigned column_of(const unsigned (&row)[4], unsigned i)
{
    const unsigned pick = i | (i + 4) << 4;  // byte i of the first operand, then of the second
    return __byte_perm(__byte_perm(row[0], row[1], pick), __byte_perm(row[2], row[3], pick), 0x5410);
}

// Column i of a square of 2, 4, 8 or 16 elements a side, whose rows are chunks.
template <unsigned SIDE>
__device__ inline Chunk column_of(const Chunk (&row)[SIDE], unsigned i)
{
    Chunk column;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        if constexpr (SIDE == 2) {  // an element is two words
            column.word[k] = row[k / 2].word[2 * i + k % 2];
        } else {                    // SIDE / 4 elements are one word
            unsigned words[SIDE / 4];
#pragma unroll
            for (unsigned j = 0; j < SIDE / 4; j++)
                words[j] = row[SIDE / 4 * k + j].word[i / (SIDE / 4)];
            column.word[k] = column_of(words, i % (SIDE / 4));
        }
    }
    return column;
}

// The first row and column of a block's tile.
struct Tile {
    unsigned row, column;
};

template <unsigned ROWS, unsigned COLUMNS>
__device__ inline Tile tile_of_block(unsigned rows, unsigned columns, size_t pitch)
{
    const unsigned tile_rows    = (rows - 1) / ROWS + 1;
    const unsigned tile_columns = (columns - 1) / COLUMNS + 1;
#if LIMIT_ORDER == 0
    // One column of tiles after the other, or two: one of each half of `in`, by turns.
    const unsigned half   = LIMIT_HALVES ? (tile_columns + 1) / 2 : tile_columns;
    const unsigned pair   = blockIdx.x / tile_rows / (LIMIT_HALVES ? 2 : 1);
    const unsigned place  = blockIdx.x - pair * tile_rows * (LIMIT_HALVES ? 2 : 1);
    const unsigned width  = pair + half < tile_columns ? 2 : 1;
    const unsigned down   = place / width;
    const unsigned across = pair + place % width * half;
#elif LIMIT_ORDER == 1
    const unsigned down   = blockIdx.x / tile_columns;
    const unsigned across = blockIdx.x - down * tile_columns;
#else
    // Bands of LIMIT_GROUP tile columns, cut into squares; the last may be narrower or lower.
    // A band's first block is below the number of blocks, so the products fit into 32 bits.
    const unsigned of_band = LIMIT_GROUP * tile_rows;
    const unsigned band    = blockIdx.x / of_band;
    const unsigned width   = min(unsigned(LIMIT_GROUP), tile_columns - band * LIMIT_GROUP);
    const unsigned inside  = blockIdx.x - band * of_band;
    const unsigned square  = inside / (LIMIT_GROUP * width);
    const unsigned height  = min(unsigned(LIMIT_GROUP), tile_rows - square * LIMIT_GROUP);
    const unsigned place   = inside - square * LIMIT_GROUP * width;
    const unsigned down    = square * LIMIT_GROUP + place % height;
    const unsigned across  = band * LIMIT_GROUP + place / height;
#endif
    return {down * ROWS, across * COLUMNS};
}

// The tile in chunks, where all rows of `in` and `out` begin at multiples of 16 bytes.
// A thread reads a square patch (4×4 floats: four chunks below each other), transposes
// it in its registers and puts its columns as chunks into the transposed tile, whose
// rows the block then writes. A chunk's place in its row is swizzled by the number of
// its patch: the eight lanes that shared memory serves at once never meet in a bank,
// neither when they put nor when they fetch.
template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS>
__device__ inline void transpose_chunks(const Element* in, Element* out, unsigned rows, unsigned columns, Tile tile, Chunk* shared,
                                        unsigned long long policy)
{
    constexpr unsigned SIDE = sizeof(Chunk) / sizeof(Element);
    constexpr unsigned DOWN = ROWS / SIDE, ACROSS = COLUMNS / SIDE;  // the tile in patches
    constexpr unsigned PATCHES = (DOWN * ACROSS - 1) / THREADS + 1;  // of one thread
    constexpr bool EVEN = PATCHES * THREADS == DOWN * ACROSS;        // a patch for every thread
    static_assert(DOWN * COLUMNS % THREADS == 0 && DOWN % 8 == 0, "the threads share the chunks evenly");

    Chunk patch[PATCHES][SIDE];
#pragma unroll
    for (unsigned n = 0; n < PATCHES; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned row    = tile.row + number / ACROSS * SIDE;
        const unsigned column = tile.column + number % ACROSS * SIDE;
        if ((EVEN || number < DOWN * ACROSS) && row < rows && column < columns) {
            const Element* corner = in + (size_t(row) * columns + column);
#pragma unroll
            for (unsigned i = 0; i < SIDE; i++)
                patch[n][i] = load(reinterpret_cast<const Chunk*>(corner + size_t(i) * columns), policy);
        }
    }
#pragma unroll
    for (unsigned n = 0; n < PATCHES; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned down = number / ACROSS, across = number % ACROSS;
        if (EVEN || number < DOWN * ACROSS) {
#pragma unroll
            for (unsigned i = 0; i < SIDE; i++)
                shared[(across * SIDE + i) * DOWN + (down ^ across % 8)] = column_of(patch[n], i);
        }
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned n = 0; n < DOWN * COLUMNS / THREADS; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned down = number % DOWN, across = number / DOWN;
        const unsigned row    = tile.row + down * SIDE;
        const unsigned column = tile.column + across;
        if (row < rows && column < columns)
            store(reinterpret_cast<Chunk*>(out + (size_t(column) * rows + row)), shared[across * DOWN + (down ^ across / SIDE % 8)], policy);
    }
}

// The tile where rows begin anywhere.
//
// Both matrices are taken in chunks as memory has them, so that a row of the tile begins
// somewhere within its first chunk. Shared memory keeps the chunks of `in` as they came; a
// chunk of `out` is picked together from as many of its rows as it has elements.
//
// A sector of `out` that two blocks write in parts costs far more than one that is written
// at once. So what a block writes of a row of `out` is moved back to where a sector begins
// (`back` elements, another number for each row), and the block reads EXTRA rows of `in`
// above its tile.
template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS>
struct Ragged {
    static constexpr unsigned SIDE  = sizeof(Chunk) / sizeof(Element);         // elements of a chunk
    static constexpr unsigned EXTRA = 32 / sizeof(Element);                    // elements of a sector
    static constexpr unsigned HIGH = ROWS + EXTRA, WIDE = COLUMNS / SIDE + 1;  // rows that are read, and their chunks
    static constexpr unsigned PASSES = (HIGH * WIDE - 1) / THREADS + 1;
    static constexpr unsigned CHUNKS = HIGH * WIDE + HIGH / SIDE;              // of shared memory

    // Where a row's chunks lie. Behind every SIDE rows a place is left free: neighbours in a
    // chunk of `out` come from rows, and neighbouring chunks from rows SIDE further on, which
    // so lie in other banks.
    static __device__ unsigned place(unsigned y) { return y * WIDE + y / SIDE; }

    // Which of the rows that are read the matrix has: from `first` up to `last`.
    static __device__ unsigned first(Tile tile) { return tile.row == 0 ? EXTRA : 0; }
    static __device__ unsigned last(Tile tile, unsigned rows) { return EXTRA + min(rows - tile.row, ROWS); }

    static __device__ void read(const Element* in, unsigned rows, unsigned columns, Tile tile, Chunk* shared,
                                unsigned long long policy)
    {
        const size_t elements = size_t(rows) * columns;
        const unsigned width  = min(columns - tile.column, COLUMNS);
        Chunk chunk[PASSES];
#pragma unroll
        for (unsigned n = 0; n < PASSES; n++) {
            const unsigned y = (threadIdx.x + n * THREADS) / WIDE, x = (threadIdx.x + n * THREADS) % WIDE;
            const size_t begin = size_t(tile.row + y - EXTRA) * columns + tile.column;
            const size_t at    = begin / SIDE + x;
            if (y >= first(tile) && y < last(tile, rows) && x * SIDE < begin % SIDE + width && at < elements / SIDE)
                chunk[n] = load(reinterpret_cast<const Chunk*>(in) + at, policy);
        }
#pragma unroll
        for (unsigned n = 0; n < PASSES; n++) {
            const unsigned y = (threadIdx.x + n * THREADS) / WIDE, x = (threadIdx.x + n * THREADS) % WIDE;
            if (y < HIGH)
                shared[place(y) + x] = chunk[n];
        }
        // Behind its last whole chunk the matrix may have a few elements more. They are all
        // fetched at once: the block that does it is among the last, and all wait for it.
        if (elements % SIDE == 0 || rows - tile.row > ROWS)
            return;
        Element rest[SIDE];
#pragma unroll
        for (unsigned e = 0; e < SIDE; e++)
            if (e < elements % SIDE)
                rest[e] = in[elements / SIDE * SIDE + e];
#pragma unroll 1
        for (unsigned n = threadIdx.x; n < HIGH * WIDE; n += THREADS) {
            const unsigned y = n / WIDE, x = n % WIDE;
            const size_t at  = (size_t(tile.row + y - EXTRA) * columns + tile.column) / SIDE + x;
            if (y >= first(tile) && y < last(tile, rows) && at == elements / SIDE)
#pragma unroll
                for (unsigned e = 0; e < SIDE; e++)
                    reinterpret_cast<Element*>(shared + place(y) + x)[e] = rest[e];
        }
    }

    static __device__ void write(Element* out, unsigned rows, unsigned columns, Tile tile, const Chunk* shared,
                                 unsigned long long policy)
    {
        constexpr unsigned DOWN = ROWS / SIDE, STEP = THREADS / DOWN;
        constexpr unsigned PERIOD = STEP > EXTRA ? STEP : EXTRA;  // columns so far apart have the same `back`
        static_assert(STEP > 0 && PERIOD % EXTRA == 0 && COLUMNS % PERIOD == 0, "the block writes whole passes");
        const unsigned width   = min(columns - tile.column, COLUMNS);
        const Element* element = reinterpret_cast<const Element*>(shared);
        // The last tile of a column also writes what the moving back leaves at the end.
        const unsigned end = rows - tile.row > ROWS ? DOWN : DOWN + EXTRA / SIDE;
#pragma unroll 1
        for (unsigned x = threadIdx.x % DOWN; x < end; x += DOWN) {
#pragma unroll 1
            for (unsigned y = threadIdx.x / DOWN; y < PERIOD; y += STEP) {
                const unsigned back = ((tile.column + y) * rows + tile.row) % EXTRA;
                const unsigned row  = EXTRA + x * SIDE - back;  // the chunk's first, counted as those that were read
                const bool whole    = row >= first(tile) && row + SIDE <= last(tile, rows);
                unsigned from[SIDE];                            // where its elements for column y lie
#pragma unroll
                for (unsigned e = 0; e < SIDE; e++)
                    from[e] = place(min(row + e, HIGH - 1)) * SIDE + (row + e) * columns % SIDE + y;
                Element* to = out + (size_t(tile.column + y) * rows + tile.row + row) - EXTRA;
#pragma unroll 2
                for (unsigned c = 0; c < COLUMNS; c += PERIOD, to += size_t(PERIOD) * rows) {
                    // All are picked before any is written, so that they do not wait one for the other.
                    union { Element element[SIDE]; Chunk chunk; } picked;
#pragma unroll
                    for (unsigned e = 0; e < SIDE; e++)
                        picked.element[e] = element[from[e] + c];
                    if (whole) {
                        if (y + c < width)
                            store(reinterpret_cast<Chunk*>(to), picked.chunk, policy);
                        continue;
                    }
#pragma unroll
                    for (unsigned e = 0; e < SIDE; e++)
                        if (y + c < width && row + e >= first(tile) && row + e < last(tile, rows))
                            to[e] = picked.element[e];
                }
            }
        }
    }
};

template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS>
__device__ inline void transpose(const Element* in, Element* out, unsigned rows, unsigned columns)
{
    using Anywhere = Ragged<Element, ROWS, COLUMNS, THREADS>;
    constexpr unsigned SIDE = sizeof(Chunk) / sizeof(Element);
    __shared__ Chunk shared[Anywhere::CHUNKS];
    const Tile tile = tile_of_block<ROWS, COLUMNS>(rows, columns, size_t(columns) * sizeof(Element));
    const unsigned long long policy = policy_for(size_t(rows) * columns * sizeof(Element));
    if (LIMIT_CHUNKS && rows % SIDE == 0 && columns % SIDE == 0) {
        transpose_chunks<Element, ROWS, COLUMNS, THREADS>(in, out, rows, columns, tile, shared, policy);
    } else {
        Anywhere::read(in, rows, columns, tile, shared, policy);
        __syncthreads();
        Anywhere::write(out, rows, columns, tile, shared, policy);
    }
}

// Blocks that a multiprocessor of 65536 registers shall hold. In registers a thread keeps its
// share of the tile, a patch at the least; found by trying are the 16 or 24 that it needs
// besides. Without this bound the compiler spends more and leaves room for fewer blocks.
__host__ __device__ constexpr unsigned blocks_at_once(unsigned tile_bytes, unsigned side, unsigned threads)
{
    const unsigned share = tile_bytes / threads > 16 * side ? tile_bytes / threads : 16 * side;
    return 65536 / (threads * (share / 4 + (side == 8 ? 24 : 16)));
}

#define ENTRY(name, Element, ROWS, COLUMNS, THREADS)                                        \
    extern "C" __global__ void                                                              \
    __launch_bounds__(THREADS, blocks_at_once(ROWS * COLUMNS * sizeof(Element), 16 / sizeof(Element), THREADS)) \
    name(const Element* __restrict__ in, Element* __restrict__ out, unsigned rows, unsigned columns) \
    {                                                                                       \
        transpose<Element, ROWS, COLUMNS, THREADS>(in, out, rows, columns);                 \
    }

#if !defined(LIMIT_ONLY) || LIMIT_ONLY == 4
ENTRY(limit, float, LIMIT_ROWS, LIMIT_COLUMNS, LIMIT_THREADS)
#endif
#if !defined(LIMIT_ONLY) || LIMIT_ONLY == 8
ENTRY(limit_f64, double, LIMIT_F64_ROWS, LIMIT_F64_COLUMNS, LIMIT_F64_THREADS)
#endif
#if !defined(LIMIT_ONLY) || LIMIT_ONLY == 2
ENTRY(limit_u16, unsigned short, LIMIT_U16_ROWS, LIMIT_U16_COLUMNS, LIMIT_U16_THREADS)
#endif
#if !defined(LIMIT_ONLY) || LIMIT_ONLY == 1
ENTRY(limit_u8, unsigned char, LIMIT_U8_ROWS, LIMIT_U8_COLUMNS, LIMIT_U8_THREADS)
#endif
