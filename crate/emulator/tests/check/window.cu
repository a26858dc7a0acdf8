// Negative indices into shared memory, as nvcc has them: in 32 bits. The first kernel is right, the others are not.

// A sum over a window: neighbours within the block's tile come from shared memory, the others from global memory.
extern "C" __global__ void window_sums(const float* x, float* y, int reach, int n) {
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    const int first = blockIdx.x * blockDim.x, behind = first + blockDim.x;
    float sum = 0.0f;
    for (int k = 0; k < 2 * reach; k++) {
        const int at = i - reach + k;
        if (at < 0 || at >= n) continue;
        if (at >= first && at < behind) sum += tile[(int)threadIdx.x + k - reach];
        else sum += x[at];
    }
    y[i] = sum;
}

// An index that is known at run time only.
extern "C" __global__ void before_start(const int* at, float* y) {
    __shared__ float s[64];
    s[threadIdx.x] = 1.0f;
    __syncthreads();
    y[threadIdx.x] = s[at[threadIdx.x]];
}

// The guard of a scan is forgotten.
extern "C" __global__ void scan_guard(const float* x, float* y) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        const float add = s[t - d];
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    y[t] = s[t];
}

// Row 0 of a stencil's tile reads row -1.
extern "C" __global__ void halo(const float* x, float* y) {
    __shared__ float s[16][16];
    const int c = threadIdx.x, r = threadIdx.y;
    s[r][c] = x[r * 16 + c];
    __syncthreads();
    y[r * 16 + c] = s[r - 1][c] + s[r + 1][c];
}
