// How often each of 256 values occurs: a histogram of the numbers modulo 256.
//
// in: rows × columns, row-major; out: 256 counts, all zero before the launch. Block 32×8;
// it covers a tile of 32 rows and 256 columns, 32 elements a thread. The numbers are
// such that many of them meet in one bin.

extern "C" __global__ void histogram(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                     unsigned rows, unsigned columns)
{
//@ starter
    // TODO Threads overtake each other in `out[bin] += 1`: one reads the count, another
    // counts up, and the first writes back what it had plus one. Count in shared memory,
    // with additions that cannot be torn apart, and add the block's counts to `out`.
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns) {
                const unsigned bin = in[row * columns + column] % 256;
                out[bin] += 1;
            }
        }
//@ solution
    // The block's own counts. 256 threads, 256 bins: each thread has one to clear and to add.
    __shared__ unsigned count[256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    count[mine] = 0;
    __syncthreads();

    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&count[in[row * columns + column] % 256], 1);
        }

    // All have counted. Other blocks add to the same bins of `out`.
    __syncthreads();
    if (count[mine] != 0)
        atomicAdd(&out[mine], count[mine]);
//@ one_for_each_warp
    // Each warp counts by itself, so that fewer threads meet in a bin.
    __shared__ unsigned count[8][256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    for (unsigned w = 0; w < 8; w++)
        count[w][mine] = 0;
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&count[threadIdx.y][in[row * columns + column] % 256], 1);
        }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned w = 0; w < 8; w++)
        sum += count[w][mine];
    atomicAdd(&out[mine], sum);
//@ one_warp_adds
    __shared__ unsigned count[256];
    if (threadIdx.y == 0)
        for (unsigned bin = threadIdx.x; bin < 256; bin += 32)
            count[bin] = 0;
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&count[in[row * columns + column] % 256], 1);
        }
    __syncthreads();
    if (threadIdx.y == 0)
        for (unsigned bin = threadIdx.x; bin < 256; bin += 32)
            atomicAdd(&out[bin], count[bin]);
//@ global_atomics
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&out[in[row * columns + column] % 256], 1);
        }
//@ plain_additions
    __shared__ unsigned count[256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    count[mine] = 0;
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                count[in[row * columns + column] % 256] += 1;
        }
    __syncthreads();
    atomicAdd(&out[mine], count[mine]);
//@ not_cleared
    __shared__ unsigned count[256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&count[in[row * columns + column] % 256], 1);
        }
    __syncthreads();
    atomicAdd(&out[mine], count[mine]);
//@ no_barrier_after
    __shared__ unsigned count[256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    count[mine] = 0;
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&count[in[row * columns + column] % 256], 1);
        }
    atomicAdd(&out[mine], count[mine]);
//@ overwrites
    __shared__ unsigned count[256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    count[mine] = 0;
    __syncthreads();
    for (unsigned j = 0; j < 32; j += 8)
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y + j;
            const size_t column = size_t(blockIdx.x) * 256 + threadIdx.x + k;
            if (row < rows && column < columns)
                atomicAdd(&count[in[row * columns + column] % 256], 1);
        }
    __syncthreads();
    out[mine] = count[mine];
//@ end
}
