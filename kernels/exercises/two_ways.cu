// y[i] is x[i] ^ salt, mixed in one of two ways: groups of eight items take turns.
//
// x, y: items numbers. Block 256; it covers 512 items, two a thread.

__device__ unsigned multiplied(unsigned x)
{
    #pragma unroll
    for (unsigned step = 0; step < 40; step++)
        x = (x ^ (x >> 15)) * 739982445u;
    return x;
}

__device__ unsigned shifted(unsigned x)
{
    #pragma unroll
    for (unsigned step = 0; step < 24; step++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

extern "C" __global__ void two_ways(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                    unsigned items, unsigned salt)
{
    const size_t first = size_t(blockIdx.x) * 512;

//@ starter
    // TODO The result is right. But in every warp two groups of eight lanes go one way and two the
    // other, and each waits while the others go theirs. Let the lanes of a warp take items
    // that go the same way.
    for (unsigned k = 0; k < 512; k += 256) {
        const size_t i = first + k + threadIdx.x;
        if (i < items)
            y[i] = i / 8 % 2 == 0 ? multiplied(x[i] ^ salt) : shifted(x[i] ^ salt);
    }
//@ solution
    // Groups of one way lie 16 items apart: the block's threads take all of one way, then all
    // of the other. Eight numbers are a sector, so that none is read in part.
    const size_t i = first + threadIdx.x / 8 * 16 + threadIdx.x % 8;
    if (i < items)
        y[i] = multiplied(x[i] ^ salt);
    if (i + 8 < items)
        y[i + 8] = shifted(x[i + 8] ^ salt);
//@ by_warp
    // Four warps go one way, four the other.
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, way = warp % 2;
    for (unsigned k = 0; k < 2; k++) {
        const unsigned group = (warp / 2 * 2 + k) * 4 + lane / 8;
        const size_t i = first + group * 16 + way * 8 + lane % 8;
        if (i < items)
            y[i] = way == 0 ? multiplied(x[i] ^ salt) : shifted(x[i] ^ salt);
    }
//@ both_and_choose
    // No branch is left: every lane goes both ways, and takes one of the two results.
    for (unsigned k = 0; k < 512; k += 256) {
        const size_t i = first + k + threadIdx.x;
        if (i < items) {
            const unsigned number = x[i] ^ salt;
            const unsigned one = multiplied(number), other = shifted(number);
            y[i] = i / 8 % 2 == 0 ? one : other;
        }
    }
//@ by_threads
    // The first 128 threads one way, the others the other: but not with the items that go so.
    for (unsigned k = 0; k < 512; k += 256) {
        const size_t i = first + k + threadIdx.x;
        if (i < items)
            y[i] = threadIdx.x < 128 ? multiplied(x[i] ^ salt) : shifted(x[i] ^ salt);
    }
//@ swapped
    const size_t i = first + threadIdx.x / 8 * 16 + threadIdx.x % 8;
    if (i < items)
        y[i] = shifted(x[i] ^ salt);
    if (i + 8 < items)
        y[i + 8] = multiplied(x[i + 8] ^ salt);
//@ one_guard
    const size_t i = first + threadIdx.x / 8 * 16 + threadIdx.x % 8;
    if (i < items) {
        y[i] = multiplied(x[i] ^ salt);
        y[i + 8] = shifted(x[i + 8] ^ salt);
    }
//@ neighbours
    // A thread takes an item of each way, but two neighbours' worth: the wrong grouping.
    const size_t i = first + 2 * threadIdx.x;
    for (unsigned k = 0; k < 2; k++)
        if (i + k < items)
            y[i + k] = (i + k) / 8 % 2 == 0 ? multiplied(x[i + k] ^ salt) : shifted(x[i + k] ^ salt);
//@ end
}
