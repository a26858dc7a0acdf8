// Transpose at the speed of a copy: the fastest kernel of the book, for elements
// of 4, 8, 2 and 1 bytes and for every shape.
//
// in: rows × columns, out: columns × rows, both row-major. One-dimensional grid
// ("linear"): one block a tile. What is chosen by measurement is a macro, so that
// a tuner can compile variants of this source with other values in front:
//
//   LIMIT_ROWS, LIMIT_COLUMNS   the tile of `limit`: rows and columns of `in`, multiples of 32
//   LIMIT_THREADS               threads of a block of `limit`
//   LIMIT_F64_…, LIMIT_U16_…, LIMIT_U8_…   the same for the other elements
//   LIMIT_ORDER                 how the blocks walk over the tiles: 0 along the rows of `out`
//                               (down the columns of `in`), 1 along the rows of `in`,
//                               2 in squares of LIMIT_GROUP × LIMIT_GROUP tiles
//   LIMIT_GROUP                 the side of such a square, in tiles
//   LIMIT_LOAD                  cache hint of the loads: 0 none, 1 .cs (streaming),
//                               2 .L1::no_allocate, 3 L2::evict_last where the matrix
//                               has at least LIMIT_KEEP_BYTES
//   LIMIT_STORE                 cache hint of the stores: 0 none, 1 .cs (streaming), 2 .cg
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
#define LIMIT_U8_THREADS 128
#endif
#ifndef LIMIT_ORDER
#define LIMIT_ORDER 0
#endif
#ifndef LIMIT_GROUP
#define LIMIT_GROUP 8
#endif
#ifndef LIMIT_LOAD
#define LIMIT_LOAD 0
#endif
#ifndef LIMIT_STORE
#define LIMIT_STORE 1
#endif
#ifndef LIMIT_KEEP_BYTES
#define LIMIT_KEEP_BYTES (256u << 20)
#endif

// 16 bytes: what one thread reads or writes with one instruction.
using Chunk = uint4;

// What the loads ask of the caches.
struct Hint {
#if LIMIT_LOAD == 3
    unsigned long long policy;
    __device__ explicit Hint(size_t bytes)
    {
        unsigned long long last, normal;
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
        asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
        policy = bytes >= LIMIT_KEEP_BYTES ? last : normal;
    }
#else
    __device__ explicit Hint(size_t) {}
#endif
};

__device__ inline Chunk load_chunk(const void* address, const Hint& hint)
{
    Chunk v;
#if LIMIT_LOAD == 0
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
#elif LIMIT_LOAD == 1
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
#elif LIMIT_LOAD == 2
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
#else
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address), "l"(hint.policy));
#endif
    return v;
}

__device__ inline void store_chunk(void* address, const Chunk& v)
{
#if LIMIT_STORE == 0
    *static_cast<Chunk*>(address) = v;
#elif LIMIT_STORE == 1
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(address), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
#else
    asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(address), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
#endif
}

// The four 32-bit words of a chunk by number; the number is known when compiling.
__device__ inline unsigned& word(Chunk& chunk, int i) { return i == 0 ? chunk.x : i == 1 ? chunk.y : i == 2 ? chunk.z : chunk.w; }
__device__ inline unsigned word(const Chunk& chunk, int i) { return i == 0 ? chunk.x : i == 1 ? chunk.y : i == 2 ? chunk.z : chunk.w; }

// Column i of a square patch: `patch` holds SIDE chunks, one a row, of SIDE elements each.
template <int SIDE>
__device__ inline Chunk patch_column(const Chunk (&patch)[SIDE], int i)
{
    Chunk column;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if constexpr (SIDE == 2) {         // 8-byte elements: two words each
            word(column, k) = word(patch[k / 2], 2 * i + k % 2);
        } else if constexpr (SIDE == 4) {  // 4-byte elements: one word each
            word(column, k) = word(patch[k], i);
        } else if constexpr (SIDE == 8) {  // 2-byte elements: half words of two rows make a word
            word(column, k) = __byte_perm(word(patch[2 * k], i / 2), word(patch[2 * k + 1], i / 2), i % 2 ? 0x7632 : 0x5410);
        } else {                           // bytes of four rows make a word
            const unsigned pick = (i % 4) | (i % 4 + 4) << 4;
            const unsigned low  = __byte_perm(word(patch[4 * k], i / 4), word(patch[4 * k + 1], i / 4), pick);
            const unsigned high = __byte_perm(word(patch[4 * k + 2], i / 4), word(patch[4 * k + 3], i / 4), pick);
            word(column, k) = __byte_perm(low, high, 0x5410);
        }
    }
    return column;
}

// A tile of the matrix: its first row and column of `in`.
struct Tile {
    unsigned row, column;
};

// Which tile a block takes. Both factors of a product below fit, since a matrix has fewer than 2^33 elements and a tile more than 1000.
template <unsigned ROWS, unsigned COLUMNS>
__device__ inline Tile tile_of_block(unsigned rows, unsigned columns)
{
    const unsigned tile_rows = (rows - 1) / ROWS + 1;
    unsigned down, across;
#if LIMIT_ORDER == 0
    across = blockIdx.x / tile_rows;
    down   = blockIdx.x % tile_rows;
#elif LIMIT_ORDER == 1
    const unsigned tile_columns = (columns - 1) / COLUMNS + 1;
    down   = blockIdx.x / tile_columns;
    across = blockIdx.x % tile_columns;
#else
    // Bands of LIMIT_GROUP tile columns; a band is cut into squares, the last ones may be narrower or lower.
    const unsigned tile_columns = (columns - 1) / COLUMNS + 1;
    const unsigned band   = blockIdx.x / (LIMIT_GROUP * tile_rows);
    const unsigned width  = min(unsigned(LIMIT_GROUP), tile_columns - band * LIMIT_GROUP);
    const unsigned inside = blockIdx.x - band * LIMIT_GROUP * tile_rows;
    const unsigned square = inside / (LIMIT_GROUP * width);
    const unsigned height = min(unsigned(LIMIT_GROUP), tile_rows - square * LIMIT_GROUP);
    const unsigned place  = inside - square * LIMIT_GROUP * width;
    down   = square * LIMIT_GROUP + place % height;
    across = band * LIMIT_GROUP + place / height;
#endif
    return {down * ROWS, across * COLUMNS};
}

// The tile in chunks, for rows of `in` and of `out` that begin at multiples of 16 bytes.
// A thread reads a square patch (4×4 floats: four chunks below each other), transposes it
// in its registers and puts the columns into the transposed tile as chunks; then the block
// writes that tile's rows, chunk by chunk. A chunk's place in its row is swizzled by the
// number of the patch it comes from, so that eight lanes (128 bytes, what shared memory
// serves at once) never meet in a bank, neither here nor there.
template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS>
__device__ inline void transpose_chunks(const Element* in, Element* out, unsigned rows, unsigned columns, Tile tile, Chunk* shared)
{
    constexpr unsigned SIDE = sizeof(Chunk) / sizeof(Element);
    constexpr unsigned CHUNKS_DOWN = ROWS / SIDE, CHUNKS_ACROSS = COLUMNS / SIDE;
    constexpr unsigned PATCHES = CHUNKS_DOWN * CHUNKS_ACROSS / THREADS;  // of one thread
    static_assert(PATCHES * THREADS == CHUNKS_DOWN * CHUNKS_ACROSS, "the threads share the patches evenly");
    static_assert(CHUNKS_DOWN % 8 == 0, "the swizzle needs rows of 8 chunks");
    const Hint hint(size_t(rows) * columns * sizeof(Element));

    Chunk patch[PATCHES][SIDE];
#pragma unroll
    for (unsigned n = 0; n < PATCHES; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned row    = tile.row + number / CHUNKS_ACROSS * SIDE;
        const unsigned column = tile.column + number % CHUNKS_ACROSS * SIDE;
        if (row < rows && column < columns) {
            const Element* corner = in + (size_t(row) * columns + column);
#pragma unroll
            for (unsigned i = 0; i < SIDE; i++)
                patch[n][i] = load_chunk(corner + size_t(i) * columns, hint);
        }
    }
#pragma unroll
    for (unsigned n = 0; n < PATCHES; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned down = number / CHUNKS_ACROSS, across = number % CHUNKS_ACROSS;
#pragma unroll
        for (unsigned i = 0; i < SIDE; i++)
            shared[(across * SIDE + i) * CHUNKS_DOWN + (down ^ across % 8)] = patch_column<SIDE>(patch[n], i);
    }
    __syncthreads();
#pragma unroll
    for (unsigned n = 0; n < PATCHES * SIDE; n++) {
        const unsigned number = threadIdx.x + n * THREADS;
        const unsigned down = number % CHUNKS_DOWN, across = number / CHUNKS_DOWN;
        const unsigned row    = tile.row + down * SIDE;
        const unsigned column = tile.column + across;
        if (row < rows && column < columns)
            store_chunk(out + (size_t(column) * rows + row), shared[across * CHUNKS_DOWN + (down ^ across / SIDE % 8)]);
    }
}

// The same tile element by element, for rows that begin anywhere.
template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS, unsigned PITCH>
__device__ inline void transpose_elements(const Element* in, Element* out, unsigned rows, unsigned columns, Tile tile, Element* shared)
{
    // Lanes along a row of `in`; a pass of the block takes STEP rows.
    {
        constexpr unsigned STEP = THREADS / 32;
        const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
#pragma unroll 1
        for (unsigned half = 0; half < COLUMNS; half += 32) {
            const unsigned column = tile.column + half + x;
            const Element* source = in + (size_t(tile.row + y) * columns + column);
            const unsigned left = column < columns && tile.row + y < rows ? rows - tile.row - y : 0;
#pragma unroll 16
            for (unsigned j = 0; j < ROWS; j += STEP)
                if (j < left)
                    shared[(y + j) * PITCH + half + x] = source[size_t(j) * columns];
        }
    }
    __syncthreads();
    {
        constexpr unsigned STEP = THREADS / 32;
        const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
#pragma unroll 1
        for (unsigned half = 0; half < ROWS; half += 32) {
            const unsigned row = tile.row + half + x;
            Element* target = out + (size_t(tile.column + y) * rows + row);
            const unsigned left = row < rows && tile.column + y < columns ? columns - tile.column - y : 0;
#pragma unroll 16
            for (unsigned j = 0; j < COLUMNS; j += STEP)
                if (j < left)
                    target[size_t(j) * rows] = shared[(half + x) * PITCH + y + j];
        }
    }
}

template <typename Element, unsigned ROWS, unsigned COLUMNS, unsigned THREADS>
__device__ inline void transpose(const Element* in, Element* out, unsigned rows, unsigned columns)
{
    // One element more in a row, or one 4-byte word: neighbours in a column lie in different banks.
    constexpr unsigned PITCH = COLUMNS + (sizeof(Element) < 4 ? 4 / sizeof(Element) : 1);
    __shared__ Chunk shared[(ROWS * PITCH * sizeof(Element) + sizeof(Chunk) - 1) / sizeof(Chunk)];
    const Tile tile = tile_of_block<ROWS, COLUMNS>(rows, columns);
    constexpr unsigned SIDE = sizeof(Chunk) / sizeof(Element);
    if (rows % SIDE == 0 && columns % SIDE == 0)
        transpose_chunks<Element, ROWS, COLUMNS, THREADS>(in, out, rows, columns, tile, shared);
    else
        transpose_elements<Element, ROWS, COLUMNS, THREADS, PITCH>(in, out, rows, columns, tile, reinterpret_cast<Element*>(shared));
}

extern "C" __global__ void __launch_bounds__(LIMIT_THREADS)
limit(const float* __restrict__ in, float* __restrict__ out, unsigned rows, unsigned columns)
{
    transpose<float, LIMIT_ROWS, LIMIT_COLUMNS, LIMIT_THREADS>(in, out, rows, columns);
}

extern "C" __global__ void __launch_bounds__(LIMIT_F64_THREADS)
limit_f64(const double* __restrict__ in, double* __restrict__ out, unsigned rows, unsigned columns)
{
    transpose<double, LIMIT_F64_ROWS, LIMIT_F64_COLUMNS, LIMIT_F64_THREADS>(in, out, rows, columns);
}

extern "C" __global__ void __launch_bounds__(LIMIT_U16_THREADS)
limit_u16(const unsigned short* __restrict__ in, unsigned short* __restrict__ out, unsigned rows, unsigned columns)
{
    transpose<unsigned short, LIMIT_U16_ROWS, LIMIT_U16_COLUMNS, LIMIT_U16_THREADS>(in, out, rows, columns);
}

extern "C" __global__ void __launch_bounds__(LIMIT_U8_THREADS)
limit_u8(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, unsigned rows, unsigned columns)
{
    transpose<unsigned char, LIMIT_U8_ROWS, LIMIT_U8_COLUMNS, LIMIT_U8_THREADS>(in, out, rows, columns);
}
