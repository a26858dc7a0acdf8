// The softmax to the base 2 of rows of 256 floats: y = 2^(x - m) / s, where m is the row's largest element and s the sum of
// the powers.
//
// x, y: items rows of 256. Block 256; it covers eight rows, a warp for each, and of the last block not
// every warp has one.

extern "C" __global__ void softmax_once(const float* __restrict__ x, float* __restrict__ y, unsigned items)
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
    const float* from = x + size_t(row) * 256;
    float*       to   = y + size_t(row) * 256;

//@ starter
    // TODO The result is right. But the row is read three times: for the largest element, for the sum,
    // for the result. Read it once, and keep it where the lane finds it again.
    float largest = from[lane];
    for (unsigned k = 32; k < 256; k += 32)
        largest = fmaxf(largest, from[k + lane]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    float sum = 0.0f;
    for (unsigned k = 0; k < 256; k += 32)
        sum += exp2f(from[k + lane] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    for (unsigned k = 0; k < 256; k += 32)
        to[k + lane] = exp2f(from[k + lane] - largest) / sum;
//@ solution
    // Eight elements a lane. Loops whose bounds are constants are unrolled, so that v stays in registers.
    float v[8];
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        v[k] = from[32 * k + lane];

    float largest = v[0];
#pragma unroll
    for (unsigned k = 1; k < 8; k++)
        largest = fmaxf(largest, v[k]);
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
        to[32 * k + lane] = v[k] / sum;
//@ in_shared
    // The row lies in shared memory between the passes; each lane finds there what it has put there itself.
    __shared__ float rows[8][256];
    float* kept = rows[threadIdx.x / 32];
    for (unsigned k = lane; k < 256; k += 32)
        kept[k] = from[k];
    float largest = kept[lane];
    for (unsigned k = lane; k < 256; k += 32)
        largest = fmaxf(largest, kept[k]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    float sum = 0.0f;
    for (unsigned k = lane; k < 256; k += 32)
        sum += kept[k] = exp2f(kept[k] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    for (unsigned k = lane; k < 256; k += 32)
        to[k] = kept[k] / sum;
//@ reads_twice
    float largest = from[lane], v[8];
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        largest = fmaxf(largest, from[32 * k + lane]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    __syncwarp();
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += v[k] = exp2f(*(const volatile float*)&from[32 * k + lane] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        to[32 * k + lane] = v[k] / sum;
//@ no_largest
    float v[8], sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += v[k] = exp2f(from[32 * k + lane]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        to[32 * k + lane] = v[k] / sum;
//@ lane_zero_knows
    float v[8];
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        v[k] = from[32 * k + lane];
    float largest = v[0];
#pragma unroll
    for (unsigned k = 1; k < 8; k++)
        largest = fmaxf(largest, v[k]);
    for (unsigned distance = 16; distance > 0; distance /= 2)
        largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, distance));
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += v[k] = exp2f(v[k] - largest);
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        to[32 * k + lane] = v[k] / sum;
//@ neighbours
    float v[8];
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        v[k] = from[8 * lane + k];
    float largest = v[0];
#pragma unroll
    for (unsigned k = 1; k < 8; k++)
        largest = fmaxf(largest, v[k]);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += v[k] = exp2f(v[k] - largest);
    for (unsigned mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        to[8 * lane + k] = v[k] / sum;
//@ end
}
