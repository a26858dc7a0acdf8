// Transpose with 16 bytes a thread in global memory, through a tile without
// padding whose words are swizzled: the element of row r and column c lies at
// column c xor r. Four neighbours do not stay neighbours, so shared memory is
// stored to and loaded from one word at a time.
//
// in: rows × columns, out: columns × rows, both row-major, rows and columns
// multiples of 4. Block 8×32; it covers a 32×32 tile, four elements a thread.

extern "C" __global__ void float4_swizzled(const float4* __restrict__ in, float4* __restrict__ out,
                                           unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32];

    const unsigned x = threadIdx.x; // which four columns of the tile: 4x to 4x + 3
    const unsigned y = threadIdx.y; // which row

    // Read as it lies in `in`, whose rows are columns / 4 pieces of 16 bytes. A
    // warp has 8 threads in x and 4 in y: it reads 128 bytes of each of 4 rows.
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

    // Write as it lies in `out`: row y of it is column y of the tile, whose
    // element in row r lies at column y xor r.
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y ^ (4 * x)], tile[4 * x + 1][y ^ (4 * x + 1)],
                        tile[4 * x + 2][y ^ (4 * x + 2)], tile[4 * x + 3][y ^ (4 * x + 3)]);
}
