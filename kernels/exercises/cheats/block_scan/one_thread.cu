// lets one thread go through the piece, without shared memory.
extern "C" __global__ void block_scan(const unsigned* x, unsigned* y, unsigned items)
{
    if (threadIdx.x != 0)
        return;
    unsigned sum = 0;
    for (size_t i = size_t(blockIdx.x) * 256; i < size_t(blockIdx.x) * 256 + 256 && i < items; i++)
        y[i] = sum += x[i];
}
