// How often each key occurs: lanes with the same key find each other, and the first of them adds for all.
extern "C" __global__ void histogram_matched(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                                             unsigned items, unsigned)
{
    const unsigned first = blockIdx.x * 1024 + threadIdx.x;
    // No key is as large: lanes past the end find only each other.
    const unsigned none = ~0u;
    unsigned found[4];
    for (unsigned k = 0; k < 4; ++k)
        found[k] = first + k * 256 < items ? keys[first + k * 256] : none;
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned same = __match_any_sync(~0u, found[k]);
        const bool is_first = __ffs(same) == threadIdx.x % 32 + 1;
        if (is_first && found[k] != none)
            atomicAdd(&counts[found[k]], __popc(same));
    }
}
