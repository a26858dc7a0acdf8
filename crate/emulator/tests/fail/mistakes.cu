// Kernels with a mistake each; the test expects its finding.
extern "C" __global__ void no_edge_test(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i % n] + 1;
}

extern "C" __global__ void before_start(float* out) { out[(int)threadIdx.x - 3] = 1.0f; }

extern "C" __global__ void odd_vector(const float* in, float* out) {
    float4 v = *(const float4*)(in + threadIdx.x * 4 + 1);
    out[threadIdx.x] = v.x + v.w;
}

extern "C" __global__ void across_end(const float* in, float* out) {
    float4 v = ((const float4*)in)[threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
}

extern "C" __global__ void null_pointer(float* out) {
    if (threadIdx.x == 5) out[threadIdx.x] = 1.0f;
}

extern "C" __global__ void past_shared(float* out) {
    extern __shared__ float tile[];
    tile[threadIdx.x * 2] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void past_local(const int* in, int* out) {
    int a[4] = {1, 2, 3, 4};
    a[in[threadIdx.x]] = 9;
    out[threadIdx.x] = a[in[threadIdx.x] & 3];
}

extern "C" __global__ void traps(const int* in) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] == 77) __trap();
}

extern "C" __global__ void endless(volatile int* flag) {
    while (*flag == 0) {}
}

extern "C" __global__ void endless_in_one(int* out) {
    int i = threadIdx.x;
    if (i == 40) {
        for (;;) { i = i * 3 + 1; out[0] = i; }
    }
    out[threadIdx.x] = i;
}

// Two barriers, each of which waits for all threads: neither gets them.
extern "C" __global__ void different_barriers(int* out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1;" ::: "memory");
    else asm volatile("bar.sync 2;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void half_a_warp(int* out) {
    if (threadIdx.x % 32 < 7) __syncthreads();
    out[threadIdx.x] = 1;
}
