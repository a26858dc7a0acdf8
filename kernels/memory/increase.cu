// One more for every number, in place, wherever the array lies.
extern "C" __global__ void increase(unsigned* numbers, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        numbers[i] += 1;
}
