// Kernels whose threads are in order, by every means that CUDA C++ has for it. A checked launch finds nothing.

// Two tiles and one barrier in each step: the tile being filled was last read before the barrier.
extern "C" __global__ void double_buffer(const float* in, float* out, int steps) {
    __shared__ float tile[2][96];
    int t = threadIdx.x, n = blockDim.x;
    float sum = 0;
    for (int step = 0; step < steps; step++) {
        tile[step & 1][t] = in[step * n + t];
        __syncthreads();
        sum += tile[step & 1][(t + 37) % n];
    }
    out[blockIdx.x * n + t] = sum;
}

extern "C" __global__ void warp_sums(const int* in, int* out) {
    __shared__ int partial[128];
    int t = threadIdx.x, lane = t % 32;
    partial[t] = in[blockIdx.x * blockDim.x + t];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (lane < half) partial[t] += partial[t + half];
        __syncwarp();
    }
    if (lane == 0) out[(blockIdx.x * blockDim.x + t) / 32] = partial[t];
}

extern "C" __global__ void spin_lock(int* out) {
    __shared__ int lock, count, order[8];
    if (threadIdx.x == 0) { lock = 0; count = 0; }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence_block();
        order[count] = threadIdx.x / 32;
        count = count + 1;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x < blockDim.x / 32) out[order[threadIdx.x]] = count;
}

// A lock that blocks take.
extern "C" __global__ void block_lock(int* lock, int* total, const int* in) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *total += in[blockIdx.x];
        __threadfence();
        atomicExch(lock, 0);
    }
}

// Two warps fill a stage, two others use it; each waits at its own barrier and goes on at the other's.
extern "C" __global__ void named_barriers(const int* in, int* out, int steps) {
    __shared__ int stage[64];
    int t = threadIdx.x;
    for (int step = 0; step < steps; step++) {
        if (t < 64) {
            if (step > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
            stage[t] = in[step * 64 + t];
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[step * 64 + t - 64] = stage[127 - t] + 1;
            if (step + 1 < steps) asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}

// The last block to come adds up what all have left.
__device__ unsigned arrived;
extern "C" __global__ void last_block(const int* in, int* partial, int* out) {
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int block = 0; block < gridDim.x; block++) all += partial[block];
        *out = all;
    }
}

// Warp 0 hands a value to the others through a flag.
extern "C" __global__ void flag_in_block(const int* in, int* out) {
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = in[blockIdx.x];
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x >= 32) {
        while (ready == 0) {}
        __threadfence_block();
        out[blockIdx.x * blockDim.x + threadIdx.x] = value;
    }
}

// Each block waits for the sum of those before it.
extern "C" __global__ void look_back(const int* in, int* sums, volatile int* ready) {
    int block = blockIdx.x;
    if (threadIdx.x != 0) return;
    int before = 0;
    if (block > 0) {
        while (ready[block - 1] == 0) {}
        __threadfence();
        before = sums[block - 1];
    }
    sums[block] = before + in[block];
    __threadfence();
    ready[block] = 1;
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void in_place(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[i] = a[i] * 2 + 1;
    a[i] = a[i] - 3;
}

// Neighbouring bytes and half words are stored by different threads.
extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out, unsigned short* halves) {
    __shared__ unsigned char tile[96];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[(t * 5) % 96] = in[i];
    __syncthreads();
    out[(i * 7) % (gridDim.x * blockDim.x)] = tile[t];
    halves[i] = tile[95 - t];
}

// One array holds one thing after the other.
extern "C" __global__ void reuse(const float* in, int* out) {
    __shared__ union { float f[64]; int i[64]; } u;
    int t = threadIdx.x;
    u.f[t] = in[t];
    __syncthreads();
    float a = u.f[63 - t];
    __syncthreads();
    u.i[63 - t] = int(a) * 3;
    __syncthreads();
    out[t] = u.i[t ^ 33];
}

// All who store to the flag store the same value.
extern "C" __global__ void same_flag(const int* in, int* flag, int n) {
    __shared__ int any;
    any = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < 0) { any = 1; *flag = 1; }
    __syncthreads();
    if (any) flag[1] = 7;
}

// Blocks read each other's edges of the input.
extern "C" __global__ void stencil(const float* in, float* out, int n) {
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = i < n ? in[i] : 0;
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

// As the CUDA C++ Programming Guide builds atomics from `atomicCAS`: a plain load first.
extern "C" __global__ void cas_max(int* most, const float* in) {
    int old = *most, seen;
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    do {
        seen = old;
        if (__int_as_float(seen) >= mine) break;
        old = atomicCAS(most, seen, __float_as_int(mine));
    } while (old != seen);
}

extern "C" __global__ void local_array(const int* in, int* out) {
    int a[8], t = threadIdx.x;
    for (int i = 0; i < 8; i++) a[(i + in[t]) & 7] = i * in[t];
    out[t] = a[in[t + 1] & 7];
}

// A barrier that also adds up, in a loop whose length all threads agree on.
extern "C" __global__ void reducing_barrier(const int* in, int* out) {
    __shared__ int tile[96];
    int t = threadIdx.x, left = 5;
    while (__syncthreads_or(left > 0)) {
        tile[t] = in[t] + left;
        __syncthreads();
        out[t] = tile[95 - t];
        left--;
    }
}

// Places in the output come from a counter.
extern "C" __global__ void compact(const int* in, int* out, unsigned* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[atomicAdd(count, 1u)] = in[i];
}

// Halves of vectors belong to different threads.
extern "C" __global__ void vectors(const float4* in, float2* out) {
    __shared__ float4 tile[64];
    int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    float4 v = tile[63 - t];
    float2* to = out + (blockIdx.x * 64 + t) * 2;
    to[0] = make_float2(v.x, v.w);
    to[1] = make_float2(v.y, v.z);
}
