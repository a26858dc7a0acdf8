// A transpose with 16 bytes a thread in global memory.
//
// in: rows × columns, out: columns × rows, both row-major, rows and columns multiples
// of 4, so that a row is columns / 4 (or rows / 4) pieces of 16 bytes. Block 8×32; it
// covers a tile of 32×32 elements: thread (x, y) has columns 4x to 4x + 3 of row y, which
// are one piece. A warp is four rows of the block.

extern "C" __global__ void float4_both(const float4* __restrict__ in, float4* __restrict__ out,
                                       unsigned rows, unsigned columns)
{
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;

//@ starter
    __shared__ float tile[32][32 + 1];

    // TODO Four requests of 4 bytes a lane, and each touches the 16 sectors that one
    // request of 16 bytes a lane would touch. Load a whole float4 of `in`.
    const float* elements = reinterpret_cast<const float*>(in);
    const size_t column = size_t(blockIdx.x) * 32 + 4 * x;
    const size_t row    = size_t(blockIdx.y) * 32 + y;
    if (row < rows && column < columns)
        for (unsigned i = 0; i < 4; i++)
            tile[y][4 * x + i] = elements[row * columns + column + i];

    __syncthreads();

    // TODO The same for the stores: make a float4 of the four.
    float* result = reinterpret_cast<float*>(out);
    const size_t out_column = size_t(blockIdx.y) * 32 + 4 * x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_column < rows)
        for (unsigned i = 0; i < 4; i++)
            result[out_row * rows + out_column + i] = tile[4 * x + i][y];
//@ solution
    __shared__ float tile[32][32 + 1];

    // Eight lanes read 128 bytes of a row, and a warp does so in four rows.
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4) {
        const float4 four = in[row * (columns / 4) + piece];
        // A row of 33 words begins anywhere, so the tile is filled a word at a time.
        tile[y][4 * x]     = four.x;
        tile[y][4 * x + 1] = four.y;
        tile[y][4 * x + 2] = four.z;
        tile[y][4 * x + 3] = four.w;
    }

    __syncthreads();

    // Four neighbours in a row of `out` stand below one another in the tile.
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
//@ swizzled
    __shared__ float tile[32][32];
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4) {
        const float4 four = in[row * (columns / 4) + piece];
        tile[y][(4 * x) ^ y]     = four.x;
        tile[y][(4 * x + 1) ^ y] = four.y;
        tile[y][(4 * x + 2) ^ y] = four.z;
        tile[y][(4 * x + 3) ^ y] = four.w;
    }
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y ^ (4 * x)], tile[4 * x + 1][y ^ (4 * x + 1)],
                        tile[4 * x + 2][y ^ (4 * x + 2)], tile[4 * x + 3][y ^ (4 * x + 3)]);
//@ pieces
    // A quarter of the threads turn patches of 4×4 in registers; the tile holds pieces of 16 bytes.
    __shared__ float4 tile[32][8];
    const size_t piece = size_t(blockIdx.x) * 8 + x, row = size_t(blockIdx.y) * 32 + 4 * y;
    const size_t pitch = columns / 4, out_pitch = rows / 4;
    if (y < 8 && row < rows && piece < pitch) {
        const float4 a = in[row * pitch + piece], b = in[(row + 1) * pitch + piece];
        const float4 c = in[(row + 2) * pitch + piece], d = in[(row + 3) * pitch + piece];
        tile[4 * x][y ^ x]     = make_float4(a.x, b.x, c.x, d.x);
        tile[4 * x + 1][y ^ x] = make_float4(a.y, b.y, c.y, d.y);
        tile[4 * x + 2][y ^ x] = make_float4(a.z, b.z, c.z, d.z);
        tile[4 * x + 3][y ^ x] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x, out_row = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < out_pitch)
        out[out_row * out_pitch + out_piece] = tile[y][x ^ (y / 4)];
//@ loads_only
    __shared__ float tile[32][32 + 1];
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4) {
        const float4 four = in[row * (columns / 4) + piece];
        tile[y][4 * x]     = four.x;
        tile[y][4 * x + 1] = four.y;
        tile[y][4 * x + 2] = four.z;
        tile[y][4 * x + 3] = four.w;
    }
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        for (unsigned i = 0; i < 4; i++)
            reinterpret_cast<float*>(out)[out_row * rows + 4 * out_piece + i] = tile[4 * x + i][y];
//@ into_padding
    // 16 bytes into a padded row, which does not begin at a multiple of 16.
    alignas(16) __shared__ float tile[32][32 + 1];
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4)
        *reinterpret_cast<float4*>(&tile[y][4 * x]) = in[row * (columns / 4) + piece];
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
//@ unpadded
    alignas(16) __shared__ float tile[32][32];
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4)
        *reinterpret_cast<float4*>(&tile[y][4 * x]) = in[row * (columns / 4) + piece];
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
//@ mixed_units
    // The row's length in floats, where the index counts pieces of four.
    __shared__ float tile[32][32 + 1];
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4) {
        const float4 four = in[row * columns + piece];
        tile[y][4 * x]     = four.x;
        tile[y][4 * x + 1] = four.y;
        tile[y][4 * x + 2] = four.z;
        tile[y][4 * x + 3] = four.w;
    }
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
//@ row_for_column
    // Takes a row of the tile out, not a column.
    __shared__ float tile[32][32 + 1];
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4) {
        const float4 four = in[row * (columns / 4) + piece];
        tile[y][4 * x]     = four.x;
        tile[y][4 * x + 1] = four.y;
        tile[y][4 * x + 2] = four.z;
        tile[y][4 * x + 3] = four.w;
    }
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[y][4 * x], tile[y][4 * x + 1], tile[y][4 * x + 2], tile[y][4 * x + 3]);
//@ end
}
