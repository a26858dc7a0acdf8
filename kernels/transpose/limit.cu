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
//   LIMIT_LOAD    what the loads ask of the caches: 0 nothing, 1 .cs (streaming),
//                 2 L1::no_allocate, 3 L2::evict_last where the matrix has at least
//                 LIMIT_KEEP_BYTES, nothing below
//   LIMIT_STORE   what the stores ask: 0 nothing, 1 .cs (streaming), 2 .cg (no L1),
//                 3 L2::evict_last
//   LIMIT_ONLY    4, 8, 2 or 1: compile only the entry for elements of so many bytes
//   LIMIT_CHUNKS  1: 16 bytes at once where rows and columns allow it; 0: never
#ifndef LIMIT_ROWS
#define LIMIT_ROWS 64
#define LIMIT_COLUMNS 64
#define LIMIT_THREADS 256
#endif
#ifndef LIMIT_F64_ROWS
#define LIMIT_F64_ROWS 64
#define LIMIT_F64_COLUMNS 32
#define LIMIT_F64_THREADS 512
#endif
#ifndef LIMIT_U16_ROWS
#define LIMIT_U16_ROWS 128
#define LIMIT_U16_COLUMNS 128
#define LIMIT_U16_THREADS 256
#endif
#ifndef LIMIT_U8_ROWS
#define LIMIT_U8_ROWS 128
#define LIMIT_U8_COLUMNS 256
#define LIMIT_U8_THREADS 128
#endif
#ifndef LIMIT_ORDER
#define LIMIT_ORDER 0
#endif
#ifndef LIMIT_GROUP
#define LIMIT_GROUP 8
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
#define LOAD(type) "ld.global." type
#elif LIMIT_LOAD == 1
#define LOAD(type) "ld.global.cs." type
#elif LIMIT_LOAD == 2
#define LOAD(type) "ld.global.L1::no_allocate." type
#else
#define LOAD(type) "ld.global.L2::cache_hint." type
#endif
#if LIMIT_STORE == 0
#define STORE(type) "st.global." type
#elif LIMIT_STORE == 1
#define STORE(type) "st.global.cs." type
#elif LIMIT_STORE == 2
#define STORE(type) "st.global.cg." type
#else
#define STORE(type) "st.global.L2::cache_hint." type
#endif
#if LIMIT_LOAD == 3
#define LOAD_POLICY ", %5"
#define LOAD_WORD_POLICY ", %2"
#else
#define LOAD_POLICY
#define LOAD_WORD_POLICY
#endif
#if LIMIT_STORE == 3
#define STORE_POLICY ", %5"
#define STORE_WORD_POLICY ", %2"
#else
#define STORE_POLICY
#define STORE_WORD_POLICY
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
    asm volatile(LOAD("v4.u32") " {%0, %1, %2, %3}, [%4]" LOAD_POLICY ";"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(from), "l"(policy));
    return v;
}

__device__ inline unsigned load(const unsigned* from, unsigned long long policy)
{
    unsigned v;
    asm volatile(LOAD("u32") " %0, [%1]" LOAD_WORD_POLICY ";" : "=r"(v) : "l"(from), "l"(policy));
    return v;
}

__device__ inline unsigned long long load(const unsigned long long* from, unsigned long long policy)
{
    unsigned long long v;
    asm volatile(LOAD("u64") " %0, [%1]" LOAD_WORD_POLICY ";" : "=l"(v) : "l"(from), "l"(policy));
    return v;
}

__device__ inline void store(Chunk* to, const Chunk& v, unsigned long long policy)
{
    asm volatile(STORE("v4.u32") " [%4], {%0, %1, %2, %3}" STORE_POLICY ";"
                 :: "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]), "l"(to), "l"(policy) : "memory");
}

__device__ inline void store(unsigned* to, unsigned v, unsigned long long policy)
{
    asm volatile(STORE("u32") " [%1], %0" STORE_WORD_POLICY ";" :: "r"(v), "l"(to), "l"(policy) : "memory");
}

__device__ inline void store(unsigned long long* to, unsigned long long v, unsigned long long policy)
{
    asm volatile(STORE("u64") " [%1], %0" STORE_WORD_POLICY ";" :: "l"(v), "l"(to), "l"(policy) : "memory");
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
__device__ inline Tile tile_of_block(unsigned rows, unsigned columns)
{
    const unsigned tile_rows = (rows - 1) / ROWS + 1;
#if LIMIT_ORDER == 0
    const unsigned across = blockIdx.x / tile_rows;
    const unsigned down   = blockIdx.x - across * tile_rows;
#elif LIMIT_ORDER == 1
    const unsigned tile_columns = (columns - 1) / COLUMNS + 1;
    const unsigned down   = blockIdx.x / tile_columns;
    const unsigned across = blockIdx.x - down * tile_columns;
#else
    // Bands of LIMIT_GROUP tile columns, cut into squares; the last may be narrower or lower.
    // A band's first block is below the number of blocks, so the products fit into 32 bits.
    const unsigned tile_columns = (columns - 1) / COLUMNS + 1;
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
__device__ inline void transpose_chunks(const Element* in, Element* out, unsigned rows, unsigned columns, Tile tile, Chunk* shared)
{
    constexpr unsigned SIDE = sizeof(Chunk) / sizeof(Element);
    constexpr unsigned DOWN = ROWS / SIDE, ACROSS = COLUMNS / SIDE;  // the tile in patches
    constexpr unsigned PATCHES = DOWN * ACROSS / THREADS;            // of one thread
    static_assert(PATCHES * THREADS == DOWN * ACROSS && DOWN % 8 == 0, "the threads share the patches evenly");
    const unsigned long long policy = policy_for(size_t(rows) * columns * sizeof(Element));

    Chunk patch[PATCHES][SIDE];
#pragma unroll
    for (unsigned n = 0; n < PATCHES; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned row    = tile.row + number / ACROSS * SIDE;
        const unsigned column = tile.column + number % ACROSS * SIDE;
        if (row < rows && column < columns) {
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
#pragma unroll
        for (unsigned i = 0; i < SIDE; i++)
            shared[(across * SIDE + i) * DOWN + (down ^ across % 8)] = column_of(patch[n], i);
    }
    __syncthreads();
#pragma unroll
    for (unsigned n = 0; n < PATCHES * SIDE; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned down = number % DOWN, across = number / DOWN;
        const unsigned row    = tile.row + down * SIDE;
        const unsigned column = tile.column + across;
        if (row < rows && column < columns)
            store(reinterpret_cast<Chunk*>(out + (size_t(column) * rows + row)), shared[across * DOWN + (down ^ across / SIDE % 8)], policy);
    }
}

// The word that rows beginning anywhere are moved in, and how many elements it holds.
template <typename Element> struct WordOf { using Type = unsigned; };
template <> struct WordOf<double> { using Type = unsigned long long; };

// The word at an address that may be no multiple of a word: cut out of the two that hold
// it. At an edge only `inside` elements are fetched, one by one.
template <typename Word, typename Element, bool INNER>
__device__ inline Word load_word(const Element* from, unsigned inside, unsigned long long policy)
{
    constexpr unsigned SIDE = sizeof(Word) / sizeof(Element);
    if constexpr (INNER && SIDE == 1) {
        return load(reinterpret_cast<const Word*>(from), policy);
    } else if constexpr (INNER) {
        const unsigned within = reinterpret_cast<size_t>(from) % sizeof(Word);
        const Word* words     = reinterpret_cast<const Word*>(reinterpret_cast<size_t>(from) - within);
        return __funnelshift_r(load(words, policy), load(words + 1, policy), within * 8);
    } else if constexpr (SIDE == 1) {
        return inside ? *reinterpret_cast<const Word*>(from) : 0;
    } else {
        Word word = 0;
#pragma unroll
        for (unsigned e = 0; e < SIDE; e++)
            if (e < inside)
                word |= Word(from[e]) << 8 * sizeof(Element) * e;
        return word;
    }
}

// Element e of a word.
template <typename Element, typename Word>
__device__ inline Element element_of(Word word, unsigned e)
{
    if constexpr (sizeof(Element) == sizeof(Word))
        return reinterpret_cast<const Element&>(word);
    else
        return Element(word >> 8 * sizeof(Element) * e);
}

// A slice of the tile in words, for rows that begin anywhere.
//
// A sector of `out` that two blocks write in parts costs far more than one that is
// written at once. So what a block writes of a row of `out` is moved back to where a
// sector begins (`back` elements, another number for each row), and the block reads
// EXTRA rows of `in` above its tile. A word that begins within a word of memory, or of
// shared memory, is cut out of two neighbours. INNER: no part of it meets an edge.
template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS, bool INNER>
__device__ inline void transpose_words(const Element* in, Element* out, unsigned rows, unsigned columns, Tile tile,
                                       typename WordOf<Element>::Type* shared)
{
    using Word = typename WordOf<Element>::Type;
    constexpr unsigned SIDE   = sizeof(Word) / sizeof(Element);  // elements of a word
    constexpr unsigned BITS   = 8 * sizeof(Element);
    constexpr unsigned EXTRA  = 32 / sizeof(Element);            // elements of a sector
    constexpr unsigned PITCH  = (ROWS + EXTRA) / SIDE + 1;       // words; odd, so that neighbours in a column lie in different banks
    static_assert(PITCH % 2 == 1, "an even pitch has bank conflicts");
    const unsigned long long policy = policy_for(size_t(rows) * columns * sizeof(Element));
    const long long top = (long long)tile.row - EXTRA;  // of the rows that are read

    // Shared memory holds a row for each column of the slice: first the columns that
    // are first in their words, then the second ones …
    constexpr unsigned ACROSS = COLUMNS / SIDE;
    {
        constexpr unsigned DOWN = (ROWS + EXTRA) / SIDE, STEP = THREADS / ACROSS, PASSES = (DOWN - 1) / STEP + 1;
        // Inside, many loads come first: each waits for memory, and they wait together.
        constexpr unsigned TOGETHER = !INNER ? 1 : PASSES <= 12 ? PASSES : (PASSES + 1) / 2;
        const unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
        const unsigned column = tile.column + x * SIDE;
        const unsigned width  = column < columns ? min(columns - column, SIDE) : 0;
        const Element* from   = in + ((top + y * SIDE) * columns + column);
#pragma unroll 1
        for (unsigned begin = 0; begin < PASSES; begin += TOGETHER) {
            Word row[TOGETHER][SIDE];
#pragma unroll
            for (unsigned n = 0; n < TOGETHER; n++)
#pragma unroll
                for (unsigned i = 0; i < SIDE; i++) {
                    const unsigned down = (begin + n) * STEP * SIDE + i;
                    const long long r   = top + y * SIDE + down;
                    if (DOWN % (STEP * TOGETHER) == 0 || y + (begin + n) * STEP < DOWN)
                        row[n][i] = load_word<Word, Element, INNER>(from + size_t(down) * columns, r >= 0 && r < rows ? width : 0, policy);
                }
#pragma unroll
            for (unsigned n = 0; n < TOGETHER; n++)
#pragma unroll
                for (unsigned i = 0; i < SIDE; i++)
                    if (DOWN % (STEP * TOGETHER) == 0 || y + (begin + n) * STEP < DOWN)
                        shared[(i * ACROSS + x) * PITCH + y + (begin + n) * STEP] = column_of(row[n], i);
        }
    }
    __syncthreads();
    {
        constexpr unsigned DOWN = ROWS / SIDE, STEP = THREADS / DOWN;
        static_assert(STEP > 0 && COLUMNS % STEP == 0, "the block writes whole passes");
        const unsigned y = threadIdx.x / DOWN;
        const size_t first_of_thread = size_t(tile.column + y) * rows + tile.row;
        // The last tile of a column also writes what the moving back leaves at the end.
        const unsigned end = INNER || rows - tile.row > ROWS ? DOWN : DOWN + EXTRA / SIDE;
        for (unsigned x = threadIdx.x % DOWN; x < end; x += DOWN) {
#pragma unroll (INNER ? 8 : 1)
            for (unsigned n = 0; n < COLUMNS; n += STEP) {
                const unsigned column = y + n;
                const size_t first  = first_of_thread + size_t(n) * rows;
                const unsigned back = first % EXTRA;
                const Word* line    = shared + (column % SIDE * ACROSS + column / SIDE) * PITCH;
                const unsigned at   = EXTRA - back + x * SIDE;  // the word's first row, counted from `top`
                if (!INNER && at >= ROWS + EXTRA)
                    continue;
                Word word = line[at / SIDE];
                if constexpr (SIDE > 1)
                    if (at % SIDE != 0)
                        word = __funnelshift_r(word, line[min(at / SIDE + 1, PITCH - 2)], at % SIDE * BITS);
                Element* to = out + (first - back + x * SIDE);
                if constexpr (INNER) {
                    store(reinterpret_cast<Word*>(to), word, policy);
                } else {
#pragma unroll
                    for (unsigned e = 0; e < SIDE; e++) {
                        const long long r = top + at + e;
                        if (r >= 0 && r < rows && tile.column + column < columns)
                            to[e] = element_of<Element>(word, e);
                    }
                }
            }
        }
    }
}

template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS>
__device__ inline void transpose(const Element* in, Element* out, unsigned rows, unsigned columns)
{
    using Word = typename WordOf<Element>::Type;
    constexpr unsigned SIDE = sizeof(Chunk) / sizeof(Element), PER_WORD = sizeof(Word) / sizeof(Element);
    constexpr unsigned SLICE = COLUMNS < 64 ? COLUMNS : 64;
    constexpr unsigned EXTRA = 32 / sizeof(Element);
    constexpr unsigned CHUNK_BYTES = ROWS * COLUMNS * sizeof(Element);
    constexpr unsigned WORD_BYTES  = ((ROWS + EXTRA) / PER_WORD + 1) * SLICE * sizeof(Word);
    __shared__ Chunk shared[(CHUNK_BYTES > WORD_BYTES ? CHUNK_BYTES : WORD_BYTES) / sizeof(Chunk)];

    Tile tile = tile_of_block<ROWS, COLUMNS>(rows, columns);
    if (LIMIT_CHUNKS && rows % SIDE == 0 && columns % SIDE == 0) {
        transpose_chunks<Element, ROWS, COLUMNS, THREADS>(in, out, rows, columns, tile, shared);
        return;
    }
    Word* words = reinterpret_cast<Word*>(shared);
#pragma unroll 1
    for (unsigned slice = 0; slice < COLUMNS; slice += SLICE, tile.column += SLICE) {
        if (tile.column >= columns)
            break;
        // Inside, even the rows above and the word behind the last one lie in the matrix.
        if (tile.row >= EXTRA && rows - tile.row > ROWS && columns - tile.column >= SLICE)
            transpose_words<Element, ROWS, SLICE, THREADS, true>(in, out, rows, columns, tile, words);
        else
            transpose_words<Element, ROWS, SLICE, THREADS, false>(in, out, rows, columns, tile, words);
        if (SLICE < COLUMNS)
            __syncthreads();  // before the next slice comes into the same shared memory
    }
}

// Blocks that a multiprocessor of 65536 registers shall hold: a thread keeps its share of
// the tile in registers and needs about 18 more. Without this bound the compiler spends
// registers on the edges and leaves room for fewer blocks.
__host__ __device__ constexpr unsigned blocks_at_once(unsigned tile_bytes, unsigned threads)
{
    const unsigned registers = (tile_bytes / threads / 4 + 18 + 7) / 8 * 8;
    return 65536 / (threads * (registers < 40 ? 40 : registers));
}

#define ENTRY(name, Element, ROWS, COLUMNS, THREADS)                                        \
    extern "C" __global__ void                                                              \
    __launch_bounds__(THREADS, blocks_at_once(ROWS * COLUMNS * sizeof(Element), THREADS))   \
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
