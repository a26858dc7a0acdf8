// Each number of a part of an array goes through so many steps of a linear congruential generator, in its place: work for
// a pipeline in which parts come and go.
extern "C" __global__ void polish(unsigned* data, unsigned first, unsigned items, unsigned rounds)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= items)
        return;
    unsigned number = data[first + i];
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round)
        number = number * 739982445u + 12345u;
    data[first + i] = number;
}
