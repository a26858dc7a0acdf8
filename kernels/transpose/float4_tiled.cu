// Transpose with 16 bytes a thread in global memory, through a tile without
// padding: a thread stores its four floats into the tile at once, and collects
// four others one by one down a column.
//
// in: rows × columns, out: columns × rows, both row-major, rows and columns
// multiples of 4. Block 8×32; it covers a 32×32 tile, four elements a thread.

extern "C" __global__ void float4_tiled(const float4* __restrict__ in, float4* __restrict__ out,
                                        unsigned rows, unsigned columns)
{
    alignas(16) __shared__ float tile[32][32];

    const unsigned x = threadIdx.x; // which four columns of the tile: 4x to 4x + 3
    const unsigned y = threadIdx.y; // which row

    // Read as it lies in `in`, whose rows are columns / 4 pieces of 16 bytes. A
    // warp has 8 threads in x and 4 in y: it reads 128 bytes of each of 4 rows.
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + y;
    if (row < rows && piece < columns / 4)
        *reinterpret_cast<float4*>(&tile[y][4 * x]) = in[row * (columns / 4) + piece];

    __syncthreads();

    // Write as it lies in `out`: row y of it is column y of the tile.
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + y;
    if (out_row < columns && out_piece < rows / 4)
        out[out_row * (rows / 4) + out_piece] =
            make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
}
