// The chase round a ring in L2, in which each step has a clock of its own: `ticks` becomes what each line took, by its
// number, and, behind them all, the number of the multiprocessor that asked. The block that walks is the last one, so that
// the size of the grid chooses the multiprocessor.
typedef unsigned long long Word;

extern "C" __global__ void chase_lines(Word* ring, unsigned* last, unsigned* ticks, unsigned slots, unsigned steps)
{
    if (blockIdx.x + 1 != gridDim.x)
        return;
    // A slot is a line: sixteen words.
    for (unsigned slot = threadIdx.x; slot < slots; slot += blockDim.x)
        ring[slot * 16] = Word(ring + (slot * 4199996221ull + 1000000007ull) % slots * 16);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    Word* at = ring;
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
        const long long began = clock64();
        Word* const next = (Word*)__ldcg(at);
        // Never so; but the clock is not read before it is known.
        if (next == nullptr)
            return;
        ticks[(at - ring) / 16] = clock64() - began;
        at = next;
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(ticks[slots]));
    *last = (at - ring) / 16;
}
