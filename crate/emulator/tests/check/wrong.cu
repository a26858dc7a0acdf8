// Kernels with a mistake that does not stop them. The line of each is marked; a race's other line is marked `other`.

extern "C" __global__ void no_barrier(const float* in, float* out) {
    __shared__ float tile[96];
    int t = threadIdx.x;
    tile[t] = in[t];                                        // other no_barrier
    out[t] = tile[95 - t];                                  // mistake no_barrier
}

extern "C" __global__ void one_barrier(const float* in, float* out, int steps) {
    __shared__ float tile[96];
    int t = threadIdx.x;
    float sum = 0;
    for (int step = 0; step < steps; step++) {
        tile[t] = in[step * 96 + t];                        // mistake one_barrier
        __syncthreads();
        sum += tile[95 - t];                                // other one_barrier
    }
    out[t] = sum;
}

extern "C" __global__ void unfilled_edge(const float* in, float* out, int n) {
    __shared__ float tile[96];
    int t = threadIdx.x;
    if (t < n) tile[t] = in[t];
    __syncthreads();
    out[t] = tile[95 - t];                                  // mistake unfilled_edge
}

extern "C" __global__ void adds_to_nothing(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] += in[i];                                        // mistake adds_to_nothing
}

extern "C" __global__ void half_a_vector(const float* in, float4* scratch, float* out) {
    int t = threadIdx.x;
    scratch[t].x = in[t];
    scratch[t].y = in[t];
    scratch[t].z = in[t];
    __syncthreads();
    float4 v = scratch[t ^ 1];                              // mistake half_a_vector
    out[t] = v.x + v.w;
}

extern "C" __global__ void one_element(int* out) {
    *out = blockIdx.x * blockDim.x + threadIdx.x;           // mistake one_element
}

extern "C" __global__ void block_element(int* out) {
    if (threadIdx.x == 5) *out = blockIdx.x;                // mistake block_element
}

extern "C" __global__ void lost_counts(const unsigned char* in, unsigned* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[in[i]]++;                                          // mistake lost_counts
}

extern "C" __global__ void early_reader(const unsigned char* in, unsigned* bins, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1u);                            // other early_reader
    __syncthreads();
    if (i < 64) out[i] = bins[i];                           // mistake early_reader
}

extern "C" __global__ void neighbours(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) a[i] = a[i] + a[i - 1];             // mistake neighbours
}

__device__ unsigned arrived;
extern "C" __global__ void no_fence(const int* in, int* partial, int* out) {
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = in[blockIdx.x];                   // other no_fence
    if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
        int all = 0;
        for (int block = 0; block < gridDim.x; block++) all += partial[block]; // mistake no_fence
        *out = all;
    }
}

extern "C" __global__ void flag_without_fence(const int* in, int* out) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = in[0];                                      // other flag_without_fence
        ready = 1;
    }
    if (threadIdx.x >= 32) {
        while (ready == 0) {}
        out[threadIdx.x] = value;                           // mistake flag_without_fence
    }
}

extern "C" __global__ void local_hole(const int* in, int* out) {
    int a[8], t = threadIdx.x;
    for (int i = 0; i < 7; i++) a[(i + in[0]) & 7] = i;
    out[t] = a[in[t] & 7];                                  // mistake local_hole
}

extern "C" __global__ void shared_element(int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t / 2] = t;                                        // mistake shared_element
    __syncthreads();
    if (t < 32) out[t] = tile[t];
}

// Rows and columns exchanged, in a matrix that is not square.
extern "C" __global__ void exchanged(const float* in, float* out, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) out[column * columns + row] = in[row * columns + column]; // mistake exchanged
}

extern "C" __global__ void wrong_barrier(const int* in, int* out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    tile[t] = in[t];                                        // other wrong_barrier
    if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    out[t] = tile[127 - t];                                 // mistake wrong_barrier
}
