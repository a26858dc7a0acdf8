// A chase round a ring of words, each of which holds the address of the next: no load can begin before the one before it
// has answered. The block makes the ring; then one thread walks, first to warm up, then against the clock.
typedef unsigned long long Word;

// The slot that follows: a linear congruential generator that visits all slots before it returns, if their number has no
// prime factor above 7.
__device__ unsigned following(unsigned slot, unsigned slots)
{
    return (slot * 4199996221ull + 1000000007ull) % slots;
}

// Where a slot's word lies. In slots larger than a line it lies in another line of each, or all words would meet in a few
// sets of a cache.
__device__ Word* word_of(Word* ring, unsigned slot, unsigned slot_bytes)
{
    const unsigned line = (slot * 2654435769u >> 7) % (slot_bytes / 128) * 128;
    return ring + (size_t(slot) * slot_bytes + line) / 8;
}

__device__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// `ticks` becomes clocks and nanoseconds of `steps` steps, `last` the slot where they end.
template <Word* load(Word*)>
__device__ void chase(Word* ring, unsigned* last, Word* ticks, unsigned slots, unsigned slot_bytes, unsigned warm_up,
                      unsigned steps)
{
    for (unsigned slot = threadIdx.x; slot < slots; slot += blockDim.x)
        *word_of(ring, slot, slot_bytes) = Word(word_of(ring, following(slot, slots), slot_bytes));
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    Word* at = ring;
#pragma unroll 1
    for (unsigned step = 0; step < warm_up; ++step)
        at = load(at);
    // Never so; but nobody can read the clock before it is known.
    if (at == nullptr)
        return;
    const Word began_ns = nanoseconds();
    const Word began = clock64();
#pragma unroll 4
    for (unsigned step = 0; step < steps; ++step)
        at = load(at);
    if (at == nullptr)
        return;
    ticks[0] = clock64() - began;
    ticks[1] = nanoseconds() - began_ns;
    *last = (at - ring) * 8 / slot_bytes;
}

__device__ Word* by_way_of_l1(Word* at)
{
    return (Word*)__ldca(at);
}

__device__ Word* by_way_of_l2(Word* at)
{
    return (Word*)__ldcg(at);
}

extern "C" __global__ void chase_l1(Word* ring, unsigned* last, Word* ticks, unsigned slots, unsigned slot_bytes,
                                    unsigned warm_up, unsigned steps)
{
    chase<by_way_of_l1>(ring, last, ticks, slots, slot_bytes, warm_up, steps);
}

extern "C" __global__ void chase_l2(Word* ring, unsigned* last, Word* ticks, unsigned slots, unsigned slot_bytes,
                                    unsigned warm_up, unsigned steps)
{
    chase<by_way_of_l2>(ring, last, ticks, slots, slot_bytes, warm_up, steps);
}
