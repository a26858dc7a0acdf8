// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void split(const int* in, int* out) {
    __shared__ int s[64];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    for (int k = 0; k < 3; ++k) {
        s[threadIdx.x] = in[threadIdx.x] + k;
        barrier::arrival_token tok = bar.arrive();
        int own = in[threadIdx.x] * 2;
        bar.wait(cuda::std::move(tok));
        out[threadIdx.x] = s[63 - threadIdx.x] + own;
        bar.arrive_and_wait();
    }
}
