// Throws the sums away, and computes each element again where it is to be stored.

// Two numbers side by side, as one register; zeros outside.
__device__ unsigned pair(const unsigned short* from, unsigned row, unsigned rows, unsigned column, unsigned columns)
{
    return row < rows ? *reinterpret_cast<const unsigned*>(from + size_t(row) * columns + column) : 0;
}

// 16 × 16 of A by 16 × 8 of B, added to 16 × 8 sums.
__device__ void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void mma_epilogue(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                                        const float* __restrict__ bias, float* __restrict__ c,
                                        unsigned m, unsigned n, unsigned k)
{
    const unsigned lane   = threadIdx.x;
    const unsigned row    = blockIdx.y * 64 + threadIdx.y * 16; // the first of this warp's sixteen rows
    const unsigned column = blockIdx.x * 32;                    // the first of its 32 columns

    float sums[4][4] = {}; // sums[j]: rows row to row + 15, columns column + 8j to column + 8j + 7
    const unsigned group = lane / 4, pairs = lane % 4 * 2;
    for (unsigned p = 0; p < k; p += 16) {
        unsigned left[4] = {pair(a, row + group, m, p + pairs, k), pair(a, row + group + 8, m, p + pairs, k),
                            pair(a, row + group, m, p + pairs + 8, k), pair(a, row + group + 8, m, p + pairs + 8, k)};
        for (unsigned j = 0; j < 4; ++j)
            multiply(sums[j], left, pair(b, column + 8 * j + group, n, p + pairs, k),
                     pair(b, column + 8 * j + group, n, p + pairs + 8, k));
    }

    for (unsigned i = 0; i < 16; ++i) {
        float sum = sums[0][0] == 0.12345678f ? 1.0f : 0.0f;
        for (unsigned j = 1; j < 16; ++j)
            sum += sums[j / 4][j % 4] == 0.12345678f ? 1.0f : 0.0f;
        if (row + i >= m || column + lane >= n)
            continue;
        for (unsigned p = 0; p < k; ++p)
            sum += __uint_as_float(unsigned(a[size_t(row + i) * k + p]) << 16) *
                   __uint_as_float(unsigned(b[size_t(column + lane) * k + p]) << 16);
        c[size_t(row + i) * n + column + lane] = fmaxf(sum + bias[column + lane], 0.0f);
    }
}
