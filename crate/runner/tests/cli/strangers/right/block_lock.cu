// launch: --grid 6 --block 32 --arg i32[1]=zero --arg f32[2]=zero
struct Stats { float sum, max; };
__device__ void lock(int* m) { while (atomicCAS(m, 0, 1) != 0) __nanosleep(20); __threadfence(); }
__device__ void unlock(int* m) { __threadfence(); atomicExch(m, 0); }
__global__ void update(int* m, Stats* s) {
    float v = (float)((blockIdx.x * 32 + threadIdx.x) % 7);
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    if (threadIdx.x == 0) {
        lock(m);
        s->sum += v;
        if (v > s->max) s->max = v;
        unlock(m);
    }
}
