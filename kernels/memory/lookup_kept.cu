// The same, and what is read of the table shall be thrown out of L2 last.
__device__ __forceinline__ uint4 kept(const uint4* from, unsigned long long last)
{
    uint4 found;
    asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w)
                 : "l"(from), "l"(last));
    return found;
}

extern "C" __global__ void lookup_kept(const uint4* __restrict__ x,
                                       const uint4* __restrict__ table,
                                       unsigned* __restrict__ y, unsigned items, unsigned pieces)
{
    const unsigned thread = blockIdx.x * 256 + threadIdx.x;
    if (thread >= items)
        return;
    const unsigned step = items % pieces;
    unsigned place = thread % pieces;
    unsigned sum = 0;
    unsigned long long last;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
    for (unsigned k = 0; k < 64; k += 4) {
        uint4 a[4], b[4];
        for (unsigned j = 0; j < 4; ++j) {
            a[j] = __ldcg(&x[thread + size_t(k + j) * items]);
            b[j] = kept(&table[place], last);
            place += step;
            if (place >= pieces) place -= pieces;
        }
        for (unsigned j = 0; j < 4; ++j)
            sum += (a[j].x ^ b[j].x) + (a[j].y ^ b[j].y) + (a[j].z ^ b[j].z) + (a[j].w ^ b[j].w);
    }
    y[thread] = sum;
}
