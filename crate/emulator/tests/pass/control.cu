// Control flow: switches, nested loops with break and continue, calls, local arrays, early returns.
extern "C" __global__ void switches(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i], r;
    switch (v & 15) {
        case 0: r = v * 3; break;
        case 1: r = v - 100; break;
        case 2: r = v ^ 0x55; break;
        case 3: r = v << 3; // falls through
        case 4: r = v >> 2; break;
        case 5: r = ~v; break;
        case 6: r = v % 7; break;
        case 7: r = v / 9; break;
        case 8: r = 88; break;
        case 9: r = v * v; break;
        default: r = -v; break;
    }
    out[i] = r;
}

extern "C" __global__ void collatz(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = in[i];
    unsigned steps = 0;
    while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; steps++; }
    out[i] = steps;
}

extern "C" __global__ void nested(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i < n) {
        for (int a = 0; a < in[i] % 13; a++) {
            if (a % 3 == 1) continue;
            for (int b = a; ; b++) {
                if (b > 9 || (b ^ in[i]) % 5 == 0) break;
                sum += a * b;
                if (sum > 500) goto out;
            }
        }
    }
out:
    if (i < n) out[i] = sum;
}

struct Pair { float a; int b[3]; double d; };
__device__ __noinline__ float helper(float x, Pair p, int k) { return x * p.a + p.b[k] + (float)p.d; }
__device__ __noinline__ int twice(int x) { return x * 2; }
__device__ __noinline__ int four_times(int x) { if (x < 0) return -1; return twice(twice(x)); }
extern "C" __global__ void calls(const float* in, float* out, Pair p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    if (i % 3) v = helper(v, p, i % 3);
    out[i] = v + four_times(i - 5);
}

extern "C" __global__ void local_array(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a[16];
    if (i >= n) return;
    for (int k = 0; k < 16; k++) a[k] = in[(i + k) % n];
    // Insertion sort with indices that the compiler cannot know.
    for (int k = 1; k < 16; k++) {
        int v = a[k], j = k - 1;
        while (j >= 0 && a[j] > v) { a[j + 1] = a[j]; j--; }
        a[j + 1] = v;
    }
    out[i] = a[in[i] & 15] * 31 + a[7];
}

extern "C" __global__ void early_return(const int* in, int* out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    if (i >= n) return;
    __syncthreads();
    out[i] = tile[threadIdx.x ^ 1] + tile[0];
}

// Half of the warps produce, the others consume, with barriers of their own.
extern "C" __global__ void named_barriers(const int* in, int* out) {
    __shared__ int stage[64];
    int half = blockDim.x / 2;
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x < half) {
            stage[threadIdx.x] = in[(blockIdx.x * 4 + round) * half + threadIdx.x];
            asm volatile("bar.arrive 1, %0;" ::"r"((int)blockDim.x) : "memory");
            asm volatile("bar.sync 2, %0;" ::"r"((int)blockDim.x) : "memory");
        } else {
            asm volatile("bar.sync 1, %0;" ::"r"((int)blockDim.x) : "memory");
            int t = threadIdx.x - half;
            out[(blockIdx.x * 4 + round) * half + t] = stage[half - 1 - t] * 2;
            asm volatile("bar.arrive 2, %0;" ::"r"((int)blockDim.x) : "memory");
        }
    }
}

// A lock that every thread takes: lanes of one warp wait for each other.
extern "C" __global__ void spin_lock(int* lock, int* counter, int* order) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            int now = *(volatile int*)counter;
            *(volatile int*)counter = now + 1;
            order[now] = blockIdx.x * blockDim.x + threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The classic form, in which the winner leaves the loop before it unlocks.
extern "C" __global__ void spin_lock_outside(int* lock, int* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    *(volatile int*)counter += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// One warp waits for a flag that another warp of the block sets.
extern "C" __global__ void flag(int* out) {
    __shared__ volatile int ready;
    __shared__ volatile int value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        while (ready == 0) {}
        out[blockIdx.x * 32 + threadIdx.x] = value + threadIdx.x;
    } else if (threadIdx.x == 32) {
        int v = 0;
        for (int i = 0; i < 100; i++) v += i * blockIdx.x;
        value = v;
        __threadfence_block();
        ready = 1;
    }
}

__device__ int launches = 5;
__constant__ float coefficients[5] = {1.5f, -2.0f, 0.25f, 8.0f, 1e-3f};
__constant__ unsigned char letters[7] = {10, 20, 30, 40, 50, 60, 70};
extern "C" __global__ void variables(const int* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = coefficients[in[i] % 5] * i + letters[i % 7] + launches;
    if (i == 0) launches = launches + 1;
}

__device__ __forceinline__ float through(const float* p) { return *p; }
extern "C" __global__ void generic(const float* in, float* out, int n) {
    __shared__ float tile[32];
    float own[2] = {in[threadIdx.x] * 2, 3.0f};
    tile[threadIdx.x] = in[threadIdx.x] + 1;
    __syncthreads();
    const float* p = threadIdx.x % 3 == 0 ? &tile[31 - threadIdx.x] : threadIdx.x % 3 == 1 ? in + threadIdx.x : &own[n & 1];
    out[threadIdx.x] = through(p);
}
