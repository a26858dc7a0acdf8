// y[i] is the sum of x[i - radius] to x[i + radius], modulo 2^32; what lies outside x counts as zero.
//
// x, y: items numbers; radius: 9 to 16. Block 256, one item a thread.

extern "C" __global__ void window(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                  unsigned items, unsigned radius)
{
    const long long first = (long long)(blockIdx.x) * 256;
    const long long i = first + threadIdx.x, r = radius;

//@ starter
    // TODO The sums are right. But neighbours read nearly the same numbers, each for itself: up
    // to 33 times as many sectors as x has. Let the block load what it needs once.
    unsigned sum = 0;
    for (long long j = i - r; j <= i + r; j++)
        if (0 <= j && j < items)
            sum += x[j];
    if (i < items)
        y[i] = sum;
//@ solution
    // The block's 256 numbers and radius more at either end.
    __shared__ unsigned near[256 + 2 * 16];
    for (unsigned k = threadIdx.x; k < 256 + 2 * radius; k += 256) {
        const long long j = first - r + k;
        near[k] = 0 <= j && j < items ? x[j] : 0;
    }
    __syncthreads();

    unsigned sum = 0;
    for (unsigned k = 0; k <= 2 * radius; k++)
        sum += near[threadIdx.x + k];
    if (i < items)
        y[i] = sum;
//@ whole_sectors
    // Begins at a sector, whatever the radius.
    __shared__ unsigned near[256 + 2 * 16];
    for (unsigned k = threadIdx.x; k < 256 + 2 * 16; k += 256) {
        const long long j = first - 16 + k;
        near[k] = 0 <= j && j < items ? x[j] : 0;
    }
    __syncthreads();
    unsigned sum = 0;
    for (long long k = 16 - r; k <= 16 + r; k++)
        sum += near[threadIdx.x + k];
    if (i < items)
        y[i] = sum;
//@ no_ends
    // What lies beyond the block is left out.
    __shared__ unsigned near[256];
    near[threadIdx.x] = i < items ? x[i] : 0;
    __syncthreads();
    unsigned sum = 0;
    for (long long k = threadIdx.x - r; k <= threadIdx.x + r; k++)
        if (0 <= k && k < 256)
            sum += near[k];
    if (i < items)
        y[i] = sum;
//@ ends_from_global
    // Only what lies in the block goes through shared memory.
    __shared__ unsigned near[256];
    near[threadIdx.x] = i < items ? x[i] : 0;
    __syncthreads();
    unsigned sum = 0;
    for (long long j = i - r; j <= i + r; j++)
        if (0 <= j && j < items)
            sum += first <= j && j < first + 256 ? near[j - first] : x[j];
    if (i < items)
        y[i] = sum;
//@ no_barrier
    __shared__ unsigned near[256 + 2 * 16];
    for (unsigned k = threadIdx.x; k < 256 + 2 * radius; k += 256) {
        const long long j = first - r + k;
        near[k] = 0 <= j && j < items ? x[j] : 0;
    }
    unsigned sum = 0;
    for (unsigned k = 0; k <= 2 * radius; k++)
        sum += near[threadIdx.x + k];
    if (i < items)
        y[i] = sum;
//@ no_edge
    __shared__ unsigned near[256 + 2 * 16];
    for (unsigned k = threadIdx.x; k < 256 + 2 * radius; k += 256)
        near[k] = x[first - r + k];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k <= 2 * radius; k++)
        sum += near[threadIdx.x + k];
    if (i < items)
        y[i] = sum;
//@ one_load
    // As many loads as threads: the last 2 * radius words are read and were never written.
    __shared__ unsigned near[256 + 2 * 16];
    const long long j = i - r;
    near[threadIdx.x] = 0 <= j && j < items ? x[j] : 0;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k <= 2 * radius; k++)
        sum += near[threadIdx.x + k];
    if (i < items)
        y[i] = sum;
//@ end
}
