// launch: --grid 4 --block 64 --cooperative --arg f32[256]=random:1 --arg f32[256]=zero --arg u32[2]=zero --arg i32=5
struct Barrier { unsigned count, generation; };
__device__ void gridBarrier(Barrier* b) {
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile unsigned* g = &b->generation;
        unsigned mine = *g;
        __threadfence();
        if (atomicAdd(&b->count, 1u) == gridDim.x - 1) {
            b->count = 0;
            __threadfence();
            *g = mine + 1;
        } else {
            while (*g == mine) ;
        }
        __threadfence();
    }
    __syncthreads();
}
__global__ void jacobi(float* a, float* b, Barrier* bar, int steps) {
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; ++s) {
        b[i] = 0.5f * (a[(i + 1) % n] + a[(i + n - 1) % n]);
        gridBarrier(bar);
        float* t = a; a = b; b = t;
    }
}
