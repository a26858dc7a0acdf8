// launch: --grid 1 --block 64 --arg f32[512]=random:1 --arg f32[64]=zero --arg i32=8
// finds: race
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(void* b, int phase) {
    unsigned ok;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(sh(b)), "r"(phase) : "memory");
    while (!ok);
}
__global__ void stream(const float* in, float* out, int tiles) {
    __shared__ alignas(128) float s[64];
    __shared__ alignas(8) unsigned long long full;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&full)));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    float acc = 0.f;
    for (int k = 0; k < tiles; ++k) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(sh(&full)), "r"(256) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" //!
                :: "r"(sh(s)), "l"(in + k * 64), "r"(256), "r"(sh(&full)) : "memory"); //!
        }
        wait(&full, k & 1);
        acc += s[63 - threadIdx.x]; //!
    }
    out[threadIdx.x] = acc;
}
