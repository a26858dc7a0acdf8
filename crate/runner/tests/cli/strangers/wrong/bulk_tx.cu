// launch: --grid 1 --block 32 --arg f32[64]=iota --arg f32[64]=zero
// finds: mbarrier,endless_loop
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void bulk(const float* in, float* out) {
    __shared__ alignas(128) float s[64];
    __shared__ barrier bar;
    if (threadIdx.x == 0) { init(&bar, 32); cuda::device::experimental::fence_proxy_async_shared_cta(); }
    __syncthreads();
    barrier::arrival_token tok;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(s, in, 64, bar); //!
        tok = cuda::device::barrier_arrive_tx(bar, 1, sizeof(s)); //!
    } else tok = bar.arrive();
    bar.wait(cuda::std::move(tok)); //!
    out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32];
}
