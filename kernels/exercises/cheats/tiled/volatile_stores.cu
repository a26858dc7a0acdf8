// stores down the columns by volatile generic stores.
extern "C" __global__ void tiled(const float* in, float* out, unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            asm volatile("st.volatile.f32 [%0], %1;" ::"l"(out + column * rows + row + j),
                         "f"(in[(row + j) * columns + column]) : "memory");
}
