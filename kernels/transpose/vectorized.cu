// Transpose with 16 bytes a thread everywhere: a thread turns a patch of 4×4
// elements in its registers, and the tile holds pieces of 16 bytes, swizzled
// among the 8 places of their row, so that no access to it has bank conflicts.
//
// in: rows × columns, out: columns × rows, both row-major, rows and columns
// multiples of 4. Block 8×8; it covers a 32×32 tile, 16 elements a thread.

extern "C" __global__ void vectorized(const float4* __restrict__ in, float4* __restrict__ out,
                                      unsigned rows, unsigned columns)
{
    // A row of the tile is 32 elements of a row of `out`: 8 pieces. Piece p of
    // row r lies at place p xor (r / 4).
    __shared__ float4 tile[32][8];

    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;

    // Read a patch: 16 bytes of each of four rows of `in`. A warp has 8 threads
    // in x, so it reads 128 bytes of each row.
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * y;
    if (row < rows && piece < columns / 4) {
        const size_t pitch = columns / 4;
        const float4 a = in[row * pitch + piece];
        const float4 b = in[(row + 1) * pitch + piece];
        const float4 c = in[(row + 2) * pitch + piece];
        const float4 d = in[(row + 3) * pitch + piece];

        // A column of the patch is piece y of row 4x, 4x + 1, … of the tile.
        // These rows have r / 4 = x.
        tile[4 * x][y ^ x]     = make_float4(a.x, b.x, c.x, d.x);
        tile[4 * x + 1][y ^ x] = make_float4(a.y, b.y, c.y, d.y);
        tile[4 * x + 2][y ^ x] = make_float4(a.z, b.z, c.z, d.z);
        tile[4 * x + 3][y ^ x] = make_float4(a.w, b.w, c.w, d.w);
    }

    __syncthreads();

    // Write: piece x of rows 4y, 4y + 1, … of the tile, as it lies in `out`.
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + 4 * y;
    if (out_row < columns && out_piece < rows / 4)
        for (unsigned j = 0; j < 4; j++)
            out[(out_row + j) * (rows / 4) + out_piece] = tile[4 * y + j][x ^ y];
}
