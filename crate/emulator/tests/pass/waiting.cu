#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void grid_steps(int* data, int* out, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; ++s) {
        int left = data[(i + n - 1) % n];
        grid.sync();
        data[i] = left + 1;
        grid.sync();
    }
    out[i] = data[i];
}
// A barrier of all blocks by hand: a counter and a volatile spin.
extern "C" __global__ void software_barrier(unsigned* counter, const int* in, int* middle, int* out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    for (int r = 0; r < rounds; ++r) {
        middle[i] = value;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(counter, 1u);
            while (*(volatile unsigned*)counter < gridDim.x * (2 * r + 1)) {}
            __threadfence();
        }
        __syncthreads();
        value = ((volatile int*)middle)[(i + blockDim.x) % n] + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(counter, 1u);
            while (*(volatile unsigned*)counter < gridDim.x * (2 * r + 2)) {}
        }
        __syncthreads();
    }
    out[i] = value;
}
// Block b waits for block b - 1, and the first for nobody.
extern "C" __global__ void chained(volatile int* flags, int* out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x) while (flags[blockIdx.x + 1] == 0) {}
        out[blockIdx.x] = blockIdx.x + (blockIdx.x + 1 < gridDim.x ? ((volatile int*)out)[blockIdx.x + 1] : 0);
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}
// What each block gets depends on how many came before.
extern "C" __global__ void peeks(volatile int* seen, int* out) {
    int before = seen[0];
    if (threadIdx.x == 0) { seen[0] = before + 1; }
    for (int k = 0; k < before % 7; ++k) out[(blockIdx.x * 64 + threadIdx.x) * 8 + k] = k;
}
extern "C" __global__ void never(volatile int* flag, int* out) {
    while (*flag == 0) {}
    out[threadIdx.x] = 1;
}
extern "C" __global__ void lock_forever(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    *sum += 1;
}
extern "C" __global__ void lock_with_tries(int* lock, int* sum, int* tries) {
    int t = 0;
    while (atomicCAS(lock, 0, 1) != 0) { ++t; }
    *sum += 1; tries[threadIdx.x] = t;
}
extern "C" __global__ void early_exit(int* out, int n) {
    __shared__ int tile[64];
    if (threadIdx.x >= n) return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
extern "C" __global__ void one_long(unsigned* out, unsigned n) {
    unsigned x = 1;
    for (unsigned i = 0; i < n; ++i) x = x * 1664525u + 1013904223u + (x >> 7);
    out[0] = x;
}
