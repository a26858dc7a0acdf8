// lets one thread add up the row, without shared memory.
extern "C" __global__ void tree_sum(const unsigned* x, unsigned* sums, unsigned items)
{
    if (threadIdx.x != 0)
        return;
    unsigned sum = 0;
    for (unsigned k = 0; k < 256; k++)
        sum += x[size_t(blockIdx.x) * 256 + k];
    sums[blockIdx.x] = sum;
}
