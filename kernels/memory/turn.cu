// Transpose of whole 32×32 tiles with 16 bytes a thread, as `vectorized` does it:
// 64 threads a block, 64 bytes of loads under way for each, a tile of 4 KiB.
// The blocks are counted in one row.
extern "C" __global__ void turn(const float4* __restrict__ in, float4* __restrict__ out,
                                unsigned rows, unsigned columns)
{
    __shared__ float4 tile[32][8];

    const unsigned across = columns / 32;
    const unsigned tile_x = blockIdx.x % across;
    const unsigned tile_y = blockIdx.x / across;
    if (tile_y >= rows / 32)
        return;
    const unsigned x = threadIdx.x % 8;
    const unsigned y = threadIdx.x / 8;

    const float4* const from = in + (size_t(tile_y) * 32 + 4 * y) * (columns / 4) + tile_x * 8 + x;
    const float4 a = from[0];
    const float4 b = from[columns / 4];
    const float4 c = from[columns / 4 * 2];
    const float4 d = from[columns / 4 * 3];
    tile[4 * x][y ^ x]     = make_float4(a.x, b.x, c.x, d.x);
    tile[4 * x + 1][y ^ x] = make_float4(a.y, b.y, c.y, d.y);
    tile[4 * x + 2][y ^ x] = make_float4(a.z, b.z, c.z, d.z);
    tile[4 * x + 3][y ^ x] = make_float4(a.w, b.w, c.w, d.w);

    __syncthreads();

    float4* const to = out + (size_t(tile_x) * 32 + 4 * y) * (rows / 4) + tile_y * 8 + x;
    for (unsigned j = 0; j < 4; ++j)
        to[j * (rows / 4)] = tile[4 * y + j][x ^ y];
}
