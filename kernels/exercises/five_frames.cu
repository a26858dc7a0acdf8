// The middle one of five: y[i] is the third of x[i], x[items + i], … x[4 * items + i] when
// they are sorted. Some of the five may be equal.
//
// x: five frames of items numbers, one behind the other; y: items. Block 256, one item a thread.

extern "C" __global__ void five_frames(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                       unsigned items)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i >= items)
        return;
    unsigned found[5];
    #pragma unroll
    for (unsigned k = 0; k < 5; k++)
        found[k] = x[k * size_t(items) + i];

//@ starter
    // TODO The result is right. The place of each number among the five is counted, and the
    // number is put there. But a register has no number that is known only when the kernel
    // runs: sorted lies in local memory. Do without it.
    unsigned sorted[5];
    #pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        unsigned place = 0;
        #pragma unroll
        for (unsigned other = 0; other < 5; other++)
            if (found[other] < found[k] || (found[other] == found[k] && other < k))
                place++;
        sorted[place] = found[k];
    }
    y[i] = sorted[2];
//@ solution
    unsigned middle = 0;
    #pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        unsigned place = 0;
        #pragma unroll
        for (unsigned other = 0; other < 5; other++)
            if (found[other] < found[k] || (found[other] == found[k] && other < k))
                place++;
        // Who is third is asked of each; no index is needed.
        if (place == 2)
            middle = found[k];
    }
    y[i] = middle;
//@ network
    #pragma unroll
    for (unsigned round = 0; round < 5; round++)
        #pragma unroll
        for (unsigned k = 0; k < 4; k++) {
            const unsigned low = min(found[k], found[k + 1]), high = max(found[k], found[k + 1]);
            found[k] = low;
            found[k + 1] = high;
        }
    y[i] = found[2];
//@ shared
    // A thread's own five words of shared memory: an index is allowed there.
    __shared__ unsigned sorted[5][256];
    #pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        unsigned place = 0;
        #pragma unroll
        for (unsigned other = 0; other < 5; other++)
            if (found[other] < found[k] || (found[other] == found[k] && other < k))
                place++;
        sorted[place][threadIdx.x] = found[k];
    }
    y[i] = sorted[2][threadIdx.x];
//@ equal_ones
    unsigned middle = 0;
    #pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        unsigned place = 0;
        #pragma unroll
        for (unsigned other = 0; other < 5; other++)
            if (found[other] < found[k])
                place++;
        if (place == 2)
            middle = found[k];
    }
    y[i] = middle;
//@ indexed_read
    // The place of the third is looked for, and the array read there.
    unsigned third = 0;
    #pragma unroll
    for (unsigned k = 0; k < 5; k++) {
        unsigned place = 0;
        #pragma unroll
        for (unsigned other = 0; other < 5; other++)
            if (found[other] < found[k] || (found[other] == found[k] && other < k))
                place++;
        if (place == 2)
            third = k;
    }
    volatile unsigned all[5] = {found[0], found[1], found[2], found[3], found[4]};
    y[i] = all[third];
//@ mean
    y[i] = (found[0] + found[1] + found[2] + found[3] + found[4]) / 5;
//@ end
}
