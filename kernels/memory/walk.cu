// A walk from word to word, each of which names the next: no access can begin before the one before it has answered.
// One thread walks; the low half of a word is the next one's number, and the high half is free for counting visits.
extern "C" __global__ void walk_loads(unsigned* ring, unsigned* last, unsigned items)
{
    if (threadIdx.x != 0)
        return;
    unsigned at = 0;
#pragma unroll 1
    for (unsigned step = 0; step < items; ++step)
        at = __ldcg(&ring[at]) & 0xffff;
    *last = at;
}

extern "C" __global__ void walk_atomics(unsigned* ring, unsigned* last, unsigned items)
{
    if (threadIdx.x != 0)
        return;
    unsigned at = 0;
#pragma unroll 1
    for (unsigned step = 0; step < items; ++step)
        at = atomicAdd(&ring[at], 1u << 16) & 0xffff;
    *last = at;
}

extern "C" __global__ void walk_shared(unsigned* ring, unsigned* last, unsigned items)
{
    __shared__ unsigned here[1024];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 1024; i += 32)
        here[i] = ring[i];
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned at = 0;
#pragma unroll 1
    for (unsigned step = 0; step < items; ++step)
        at = atomicAdd(&here[at], 1u << 16) & 0xffff;
    *last = at;
}
