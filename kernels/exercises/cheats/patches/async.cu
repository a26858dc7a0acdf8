// fills the tile by asynchronous copies, so that its stores are under another name.
extern "C" __global__ void patches(const float4* in, float4* out, unsigned rows, unsigned columns)
{
    __shared__ alignas(16) float tile[32][36];
    float* to = reinterpret_cast<float*>(out);
    const unsigned t = threadIdx.y * 8 + threadIdx.x;
    for (unsigned j = 0; j < 4; j++) {
        const unsigned y = t / 8 + 8 * j, x = t % 8;
        const size_t row = size_t(blockIdx.y) * 32 + y, piece = size_t(blockIdx.x) * 8 + x;
        if (row < rows && piece < columns / 4)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::
                         "r"(unsigned(__cvta_generic_to_shared(&tile[y][4 * x]))),
                         "l"(__cvta_generic_to_global(in + row * (columns / 4) + piece)) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 2) {
        const unsigned y = t / 32 + j, x = t % 32;
        const size_t row = size_t(blockIdx.x) * 32 + y, column = size_t(blockIdx.y) * 32 + x;
        if (row < columns && column < rows)
            to[row * rows + column] = tile[x][y];
    }
}
