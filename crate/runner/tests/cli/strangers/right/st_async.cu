// launch: --grid 2 --block 32 --cluster 2 --arg i32[64]=zero
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void send(int* out) {
    __shared__ alignas(16) int s[32];
    __shared__ alignas(8) unsigned long long bar;
    auto c = cg::this_cluster();
    unsigned peer = c.block_rank() ^ 1, ra, rb;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" :: "r"(sh(&bar)) : "memory");
    }
    c.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ra) : "r"(sh(&s[31 - threadIdx.x])), "r"(peer));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(sh(&bar)), "r"(peer));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(ra), "r"(threadIdx.x + peer * 100), "r"(rb) : "memory");
    unsigned ok;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(sh(&bar)) : "memory");
    while (!ok);
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
    c.sync();
}
