// Brings all eight pieces at once, to a place of its own each, so that every mbarrier has one phase.
extern "C" __global__ void ring_phases(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    __shared__ alignas(128) unsigned all[4096];
    __shared__ unsigned long long full;
    const unsigned first = blockIdx.x * 4096, count = items - first < 4096 ? items - first : 4096;
    const unsigned to = unsigned(__cvta_generic_to_shared(all)), mbarrier = unsigned(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(mbarrier) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(mbarrier), "r"(4 * count) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :: "r"(to), "l"(__cvta_generic_to_global(x + first)), "r"(4 * count), "r"(mbarrier) : "memory");
    }
    __syncthreads();
    for (unsigned has_ended = 0; !has_ended;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(has_ended) : "r"(mbarrier) : "memory");
    for (unsigned k = threadIdx.x; k < count; k += 256)
        y[first + k] = 3 * all[k] + add;
}
