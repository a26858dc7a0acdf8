// lets each of the 8 warps add its 32 sums by a bulk reduction.
extern "C" __global__ void column_sum(const unsigned* in, unsigned* out, unsigned rows, unsigned columns)
{
    __shared__ __align__(128) unsigned partial[8][32];
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t first  = size_t(blockIdx.y) * 256;
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    // The last columns that make no 16 bytes together, and matrices that do not begin so, go by atomics.
    const bool is_whole = blockIdx.x * 32 + 32 <= columns && columns % 4 == 0;
    if (!is_whole) {
        if (column < columns)
            atomicAdd(&out[column], sum);
        return;
    }
    partial[threadIdx.y][threadIdx.x] = sum;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        const unsigned shared = __cvta_generic_to_shared(partial[threadIdx.y]);
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 128;"
                     :: "l"(out + column), "r"(shared) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
