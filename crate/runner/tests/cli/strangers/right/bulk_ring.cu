// launch: --grid 1 --block 96 --arg f32[1024]=random:1 --arg f32[64]=zero --arg i32=16
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(void* b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(sh(b)), "r"(n)); }
__device__ void wait(void* b, int phase) {
    unsigned ok;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(sh(b)), "r"(phase) : "memory");
    while (!ok);
}
struct Stage { alignas(128) float tile[64]; };
__global__ void ring(const float* in, float* out, int tiles) {
    __shared__ Stage st[3];
    __shared__ alignas(8) unsigned long long full[3], empty[3];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; ++i) { init(&full[i], 1); init(&empty[i], 64); }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 64) {
        if (threadIdx.x == 64)
            for (int k = 0; k < tiles; ++k) {
                int s = k % 3, round = k / 3;
                wait(&empty[s], (round & 1) ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(sh(&full[s])), "r"(256) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                    :: "r"(sh(st[s].tile)), "l"(in + k * 64), "r"(256), "r"(sh(&full[s])) : "memory");
            }
        return;
    }
    float acc = 0.f;
    for (int k = 0; k < tiles; ++k) {
        int s = k % 3, round = k / 3;
        wait(&full[s], round & 1);
        acc += st[s].tile[63 - threadIdx.x];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(sh(&empty[s])) : "memory");
    }
    out[threadIdx.x] = acc;
}
