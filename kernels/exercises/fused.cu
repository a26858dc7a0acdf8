// Three small kernels of a signal, and one in their place: y is to be what the three make of x, bit by bit.
//
// x, y: items floats, at least 1; gain: 3 to 31. Block 256, one item a thread.

// These three are what is to be fused. They stay as they are, and nobody launches them here.
extern "C" __global__ void scale(const float* x, float* a, unsigned items, unsigned gain)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < items)
        a[i] = gain * x[i];
}

extern "C" __global__ void offset(const float* a, float* b, unsigned items)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < items)
        b[i] = a[i] + 17.3f;
}

extern "C" __global__ void smooth(const float* b, float* y, unsigned items)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < items) {
        const float left  = i > 0 ? b[i - 1] : 0.0f;
        const float right = i + 1 < items ? b[i + 1] : 0.0f;
        y[i] = (left + b[i]) + right;
    }
}

extern "C" __global__ void fused(const float* __restrict__ x, float* __restrict__ y, unsigned items, unsigned gain)
{
    const unsigned t = threadIdx.x;
    const size_t   i = size_t(blockIdx.x) * 256 + t;

//@ starter
    // TODO The three bodies one after the other, with y in the place of a and b. It reads and writes
    // y three times over, and that is not the worst of it.
    if (i < items) {
        y[i] = gain * x[i];
        y[i] = y[i] + 17.3f;
    }
    __syncthreads();
    float sum = 0.0f;
    if (i < items) {
        const float left  = i > 0 ? y[i - 1] : 0.0f;
        const float right = i + 1 < items ? y[i + 1] : 0.0f;
        sum = (left + y[i]) + right;
    }
    __syncthreads();
    if (i < items)
        y[i] = sum;
//@ solution
    // b of the block's own items, and of one more at either end, which their own blocks work out as well.
    // What b does not have is zero; the third step asks for it, so the first two are not done to it.
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    b[t + 1] = i < items ? two_steps(i) : 0.0f;
    if (t == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        b[257] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ x_in_shared
    // x is kept, and every b is worked out three times: arithmetic is cheap.
    __shared__ float near[256 + 2];
    near[t + 1] = i < items ? x[i] : 0.0f;
    if (t == 0)
        near[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == 255)
        near[257] = i + 1 < items ? x[i + 1] : 0.0f;
    __syncthreads();
    auto two_steps = [&](unsigned k) { return __fadd_rn(__fmul_rn(float(gain), near[k]), 17.3f); };
    if (i < items) {
        const float left  = i > 0 ? two_steps(t) : 0.0f;
        const float right = i + 1 < items ? two_steps(t + 2) : 0.0f;
        y[i] = (left + two_steps(t + 1)) + right;
    }
//@ by_shuffles
    // Within a warp by shuffles; only the ends of warps go by shared memory.
    __shared__ float first[8 + 1], last[8 + 1];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    const unsigned lane = t % 32, warp = t / 32;
    const float own = i < items ? two_steps(i) : 0.0f;
    if (lane == 0)
        first[warp] = own;
    if (lane == 31)
        last[warp + 1] = own;
    if (t == 0)
        last[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        first[8] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    float left  = __shfl_up_sync(0xffffffff, own, 1);
    float right = __shfl_down_sync(0xffffffff, own, 1);
    __syncthreads();
    if (lane == 0)
        left = last[warp];
    if (lane == 31)
        right = first[warp + 1];
    if (i < items)
        y[i] = (left + own) + right;
//@ rounds_once
    // The compiler makes one instruction of the multiplication and the addition, which rounds once.
    __shared__ float b[256 + 2];
    b[t + 1] = i < items ? gain * x[i] + 17.3f : 0.0f;
    if (t == 0)
        b[0] = i > 0 ? gain * x[i - 1] + 17.3f : 0.0f;
    if (t == 255)
        b[257] = i + 1 < items ? gain * x[i + 1] + 17.3f : 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ other_order
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    b[t + 1] = i < items ? two_steps(i) : 0.0f;
    if (t == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        b[257] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = b[t + 1] + (b[t] + b[t + 2]);
//@ zero_too_early
    // Outside of x there is a zero, and the second step makes 17.3 of it.
    __shared__ float b[256 + 2];
    auto two_steps = [&](float v) { return __fadd_rn(__fmul_rn(float(gain), v), 17.3f); };
    b[t + 1] = two_steps(i < items ? x[i] : 0.0f);
    if (t == 0)
        b[0] = two_steps(i > 0 ? x[i - 1] : 0.0f);
    if (t == 255)
        b[257] = two_steps(i + 1 < items ? x[i + 1] : 0.0f);
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ own_items_only
    // The neighbours in other blocks are left out.
    __shared__ float b[256 + 2];
    b[t + 1] = i < items ? __fadd_rn(__fmul_rn(float(gain), x[i]), 17.3f) : 0.0f;
    if (t == 0)
        b[0] = b[257] = 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ no_barrier
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    b[t + 1] = i < items ? two_steps(i) : 0.0f;
    if (t == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        b[257] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ last_step_only
    if (i < items) {
        const float left  = i > 0 ? x[i - 1] : 0.0f;
        const float right = i + 1 < items ? x[i + 1] : 0.0f;
        y[i] = (left + x[i]) + right;
    }
//@ writes_between
    // b goes to y all the same, though nobody reads it there.
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    b[t + 1] = i < items ? two_steps(i) : 0.0f;
    if (t == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        b[257] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    if (i < items)
        y[i] = b[t + 1];
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ three_loads
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    if (i < items) {
        const float left  = i > 0 ? two_steps(i - 1) : 0.0f;
        const float right = i + 1 < items ? two_steps(i + 1) : 0.0f;
        y[i] = (left + two_steps(i)) + right;
    }
//@ ends_of_warps
    // Within a warp by shuffles; the two ends of every warp from global memory.
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    const float own = i < items ? two_steps(i) : 0.0f;
    float left  = __shfl_up_sync(0xffffffff, own, 1);
    float right = __shfl_down_sync(0xffffffff, own, 1);
    if (t % 32 == 0)
        left = i > 0 && i < items ? two_steps(i - 1) : 0.0f;
    if (t % 32 == 31)
        right = i + 1 < items ? two_steps(i + 1) : 0.0f;
    if (i < items)
        y[i] = (left + own) + right;
//@ from_one_before
    // All 258 in a row, from the one before the block's first: no warp begins at a sector.
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    const long long before = (long long)(blockIdx.x) * 256 - 1;
    for (unsigned k = t; k < 258; k += 256)
        b[k] = 0 <= before + k && before + k < items ? two_steps(before + k) : 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ half_warps
    // Half of the lanes load, then the others: as many sectors, and twice as many requests.
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    if (t % 32 < 16)
        b[t + 1] = i < items ? two_steps(i) : 0.0f;
    __syncwarp();
    if (t % 32 >= 16)
        b[t + 1] = i < items ? two_steps(i) : 0.0f;
    if (t == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        b[257] = i + 1 < items ? two_steps(i + 1) : 0.0f;
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ no_guard
    __shared__ float b[256 + 2];
    auto two_steps = [&](size_t j) { return __fadd_rn(__fmul_rn(float(gain), x[j]), 17.3f); };
    b[t + 1] = two_steps(i);
    if (t == 0)
        b[0] = i > 0 ? two_steps(i - 1) : 0.0f;
    if (t == 255)
        b[257] = two_steps(i + 1);
    __syncthreads();
    if (i < items)
        y[i] = (b[t] + b[t + 1]) + b[t + 2];
//@ end
}
