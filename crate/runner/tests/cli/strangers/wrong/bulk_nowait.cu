// launch: --grid 1 --block 32 --arg f32[64]=iota --arg f32[64]=zero
// finds: race,uninitialized
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void bulk(const float* in, float* out) {
    __shared__ alignas(128) float s[64];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&bar)));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(sh(&bar)), "r"(256) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" //!
            :: "r"(sh(s)), "l"(in), "r"(256), "r"(sh(&bar)) : "memory"); //!
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32]; //!
}
