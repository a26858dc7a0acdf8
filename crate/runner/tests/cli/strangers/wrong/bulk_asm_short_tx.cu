// launch: --grid 1 --block 32 --arg f32[64]=iota --arg f32[64]=zero
// finds: mbarrier,endless_loop,race,uninitialized
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void bulk(const float* in, float* out) {
    __shared__ alignas(128) float s[64];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&bar)));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(sh(&bar)), "r"(512) : "memory"); //!
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            :: "r"(sh(s)), "l"(in), "r"(256), "r"(sh(&bar)) : "memory");
    }
    unsigned done = 0;
    while (!done) //!
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" //!
            : "=r"(done) : "r"(sh(&bar)) : "memory"); //!
    out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32];
}
