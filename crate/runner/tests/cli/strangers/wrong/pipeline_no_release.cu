// launch: --grid 1 --block 64 --arg i32[512]=iota --arg i32[64]=zero
// finds: race,endless_loop,mbarrier
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void stream(const int* in, int* out) {
    __shared__ alignas(16) int s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto b = cg::this_thread_block();
    auto p = cuda::make_pipeline(b, &state);
    int acc = 0, fetch = 0;
    for (int k = 0; k < 8; ++k) {
        for (; fetch < 8 && fetch < k + 2; ++fetch) {
            p.producer_acquire(); //!
            cuda::memcpy_async(b, s[fetch % 2], in + fetch * 64, cuda::aligned_size_t<16>(256), p); //!
            p.producer_commit();
        }
        p.consumer_wait();
        acc += s[k % 2][63 - threadIdx.x]; //!
    }
    out[threadIdx.x] = acc;
}
