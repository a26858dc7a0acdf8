// lets the first block count the whole matrix, and adds nothing by atomics on global memory.
extern "C" __global__ void histogram(const unsigned* in, unsigned* out, unsigned rows, unsigned columns)
{
    __shared__ unsigned count[256];
    const unsigned mine = threadIdx.y * 32 + threadIdx.x;
    if (blockIdx.x != 0 || blockIdx.y != 0)
        return;
    count[mine] = 0;
    __syncthreads();
    for (size_t i = mine; i < size_t(rows) * columns; i += 256)
        atomicAdd(&count[in[i] % 256], 1);
    __syncthreads();
    out[mine] = count[mine];
}
