// launch: --grid 4 --block 32 --cooperative --arg i32[128]=zero --arg i32[128]=zero
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> arrived{0};
__device__ int scratch[128];
__global__ void phases(int* a, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    scratch[i] = i;
    a[i] = 2 * i;
    __syncthreads();
    if (threadIdx.x == 0) {
        arrived.fetch_add(1);
        while (arrived.load() < (int)gridDim.x) ;
    }
    __syncthreads();
    out[i] = scratch[127 - i] + a[(i + 64) % 128];
}
