// The same copy of doubles by way of shared memory: what the detour through a
// tile costs before anything is transposed.
//
// in and out: rows × columns doubles, row-major. Block 32×8; it covers a 32×32
// tile, four elements a thread.

extern "C" __global__ void f64_copy_shared(const double* __restrict__ in, double* __restrict__ out,
                                           unsigned rows, unsigned columns)
{
    __shared__ double tile[32][32];

    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;

    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];

    // Each thread reads back what it wrote and could do without this barrier;
    // a transpose cannot, and the two should differ in nothing else.
    __syncthreads();

    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            out[(row + j) * columns + column] = tile[threadIdx.y + j][threadIdx.x];
}
