// stores one float4 for each four, and the rest by atomics.
extern "C" __global__ void float4_both(const float4* in, float4* out, unsigned rows, unsigned columns)
{
    const float* from = reinterpret_cast<const float*>(in);
    unsigned* to = reinterpret_cast<unsigned*>(out);
    const size_t row = size_t(blockIdx.y) * 32 + threadIdx.y, column = size_t(blockIdx.x) * 32 + 4 * threadIdx.x;
    if (row < rows && column < columns) {
        const float4 four = reinterpret_cast<const float4*>(from)[(row * columns + column) / 4];
        atomicExch(to + column * rows + row, __float_as_uint(four.x));
        atomicExch(to + (column + 1) * rows + row, __float_as_uint(four.y));
        atomicExch(to + (column + 2) * rows + row, __float_as_uint(four.z));
        atomicExch(to + (column + 3) * rows + row, __float_as_uint(four.w));
    }
}
