// The same, and what is read shall be thrown out of L2 last.
extern "C" __global__ void read_kept(const uint4* __restrict__ x, unsigned* __restrict__ y,
                                     unsigned items, unsigned pieces)
{
    const unsigned thread = blockIdx.x * 256 + threadIdx.x;
    if (thread >= items)
        return;
    unsigned long long last;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned piece = thread; piece < pieces; piece += items) {
        uint4 found;
        asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w)
                     : "l"(&x[piece]), "l"(last));
        sum += found.x + found.y + found.z + found.w;
    }
    y[thread] = sum;
}
