// The softmax to the base 2 of rows: y = 2^(x - m) / s, where m is the row's largest element and s the sum of the powers.
//
// x, y: items rows of columns, at most 256. Block 256; it covers eight rows, a warp for each, and of the
// last block not every warp has one.

extern "C" __global__ void softmax_once(const float* __restrict__ x, float* __restrict__ y, unsigned items,
                                        unsigned columns)
{
    const unsigned row  = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32;
    // A row is there for a whole warp or for none of its lanes.
//@ starter
    if (row >= items)
        return;
//@ solution
    if (row >= items)
        return;
//@ no_guard
//@ end
    const float* from = x + size_t(row) * columns;
    float*       to   = y + size_t(row) * columns;

//@ starter
    // TODO The result is right. But the row is read three times: for the largest element, for the sum,
    // for the result. Read it once, and keep it where the lane finds it again.
    float largest = __int_as_float(0xff800000);
    for (unsigned column = lane; column < columns; column += 32)
        largest = fmaxf(largest, from[column]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    float sum = 0.0f;
    for (unsigned column = lane; column < columns; column += 32)
        sum += exp2f(from[column] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    for (unsigned column = lane; column < columns; column += 32)
        to[column] = exp2f(from[column] - largest) / sum;
//@ solution
    // Eight elements a lane at most. What is beyond the row is never the largest, and adds nothing. Loops whose
    // bounds are constants are unrolled, so that v stays in registers.
    float v[8], largest = __int_as_float(0xff800000);
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        const unsigned column = 32 * k + lane;
        v[k]    = column < columns ? from[column] : __int_as_float(0xff800000);
        largest = fmaxf(largest, v[k]);
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));

    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        v[k] = exp2f(v[k] - largest);
        sum += v[k];
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        if (32 * k + lane < columns)
            to[32 * k + lane] = v[k] / sum;
//@ in_shared
    // The row lies in shared memory between the passes; each lane finds there what it has put there itself.
    __shared__ float rows[8][256];
    float* kept    = rows[threadIdx.x / 32];
    float  largest = __int_as_float(0xff800000);
    for (unsigned column = lane; column < columns; column += 32) {
        kept[column] = from[column];
        largest      = fmaxf(largest, kept[column]);
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    float sum = 0.0f;
    for (unsigned column = lane; column < columns; column += 32)
        sum += kept[column] = exp2f(kept[column] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    for (unsigned column = lane; column < columns; column += 32)
        to[column] = kept[column] / sum;
//@ reads_twice
    float v[8], largest = __int_as_float(0xff800000), sum = 0.0f;
    for (unsigned column = lane; column < columns; column += 32)
        largest = fmaxf(largest, from[column]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        const unsigned column = 32 * k + lane;
        v[k] = column < columns ? exp2f(from[column] - largest) : 0.0f;
        sum += v[k];
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        if (32 * k + lane < columns)
            to[32 * k + lane] = v[k] / sum;
//@ no_largest
    float v[8], sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        const unsigned column = 32 * k + lane;
        v[k] = column < columns ? exp2f(from[column]) : 0.0f;
        sum += v[k];
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        if (32 * k + lane < columns)
            to[32 * k + lane] = v[k] / sum;
//@ lane_zero_knows
    float v[8], largest = __int_as_float(0xff800000), sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        const unsigned column = 32 * k + lane;
        v[k]    = column < columns ? from[column] : __int_as_float(0xff800000);
        largest = fmaxf(largest, v[k]);
    }
    for (unsigned distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, distance));
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += v[k] = exp2f(v[k] - largest);
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        if (32 * k + lane < columns)
            to[32 * k + lane] = v[k] / sum;
//@ neighbours
    float v[8], largest = __int_as_float(0xff800000), sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        const unsigned column = 8 * lane + k;
        v[k]    = column < columns ? from[column] : __int_as_float(0xff800000);
        largest = fmaxf(largest, v[k]);
    }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += v[k] = exp2f(v[k] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        if (8 * lane + k < columns)
            to[8 * lane + k] = v[k] / sum;
//@ end
}
