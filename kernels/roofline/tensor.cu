// The roofs of the tensor cores, as `mma.sync` reaches them: a warp multiplies 32 rows by 32 columns and adds the product
// to its sums, over and over, in registers alone. A row of `a` and a column of `b` are 8 words, whatever their type.
struct f16 {
    using sum = float;
    static __device__ void multiply_add(float* d, const unsigned* a, const unsigned* b)
    {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct bf16 {
    using sum = float;
    static __device__ void multiply_add(float* d, const unsigned* a, const unsigned* b)
    {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct tf32 {
    using sum = float;
    static __device__ void multiply_add(float* d, const unsigned* a, const unsigned* b)
    {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct s8 {
    using sum = int;
    static __device__ void multiply_add(int* d, const unsigned* a, const unsigned* b)
    {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

template <typename Type>
__device__ void multiply_add_all(const unsigned* a, const unsigned* b, typename Type::sum* y, unsigned items,
                                 unsigned times)
{
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32, tile = warp * 1024;
    if (tile >= items)
        return;
    const unsigned group = threadIdx.x % 32 / 4, part = threadIdx.x % 4;
    unsigned rows[2][4], columns[4][2];
    for (unsigned m = 0; m < 2; ++m)
        for (unsigned k = 0; k < 4; ++k)
            rows[m][k] = a[(m * 16 + k % 2 * 8 + group) * 8 + k / 2 * 4 + part];
    for (unsigned n = 0; n < 4; ++n)
        for (unsigned k = 0; k < 2; ++k)
            columns[n][k] = b[(n * 8 + group) * 8 + k * 4 + part];
    typename Type::sum sums[2][4][4];
    for (unsigned m = 0; m < 2; ++m)
        for (unsigned n = 0; n < 4; ++n)
            for (unsigned k = 0; k < 4; ++k)
                sums[m][n][k] = warp % 61;
    for (unsigned time = 0; time < times; ++time)
        for (unsigned m = 0; m < 2; ++m)
            for (unsigned n = 0; n < 4; ++n)
                Type::multiply_add(sums[m][n], rows[m], columns[n]);
    for (unsigned m = 0; m < 2; ++m)
        for (unsigned n = 0; n < 4; ++n)
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned i = tile + (m * 16 + k / 2 * 8 + group) * 32 + n * 8 + part * 2 + k % 2;
                if (i < items)
                    y[i] = sums[m][n][k];
            }
}

extern "C" __global__ void tensor_f16(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                      float* __restrict__ y, unsigned items, unsigned times)
{
    multiply_add_all<f16>(a, b, y, items, times);
}

extern "C" __global__ void tensor_bf16(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                       float* __restrict__ y, unsigned items, unsigned times)
{
    multiply_add_all<bf16>(a, b, y, items, times);
}

extern "C" __global__ void tensor_tf32(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                       float* __restrict__ y, unsigned items, unsigned times)
{
    multiply_add_all<tf32>(a, b, y, items, times);
}

extern "C" __global__ void tensor_s8(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                     int* __restrict__ y, unsigned items, unsigned times)
{
    multiply_add_all<s8>(a, b, y, items, times);
}
