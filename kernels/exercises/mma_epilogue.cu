// What becomes of a tensor core's sums: C = max(0, A · B + bias).
//
// A: m × k, B: n × k, bfloat16 as unsigned short; bias: n floats, C: m × n floats, all row-major; k is a
// multiple of 16, n of 8. Block 32×4; it covers a tile of C of 64×32 elements, each warp 16 rows of it.

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

//@ starter
    // TODO Lane 0 has sums[0][0] … sums[3][3]. Which elements of C are they? Here it is taken for granted
    // that a lane has four neighbours of a row.
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned r = row + lane / 2, x = column + 8 * j + lane % 2 * 4 + i;
            if (r < m && x < n)
                c[size_t(r) * n + x] = fmaxf(sums[j][i] + bias[x], 0.0f);
        }
//@ solution
    // Two neighbours of row lane / 4, and the two that lie eight rows below them.
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane / 4 + 8 * half, x = column + 8 * j + lane % 4 * 2;
            if (r < m && x < n)
                *reinterpret_cast<float2*>(c + size_t(r) * n + x) =
                    make_float2(fmaxf(sums[j][2 * half] + bias[x], 0.0f),
                                fmaxf(sums[j][2 * half + 1] + bias[x + 1], 0.0f));
        }
//@ through_shared
    // Through shared memory: then a warp stores whole rows of 32, whoever had them.
    __shared__ float tile[4][16][33];
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned i = 0; i < 4; ++i)
            tile[threadIdx.y][lane / 4 + i / 2 * 8][8 * j + lane % 4 * 2 + i % 2] = sums[j][i];
    __syncwarp();
    for (unsigned i = 0; i < 16; ++i)
        if (row + i < m && column + lane < n)
            c[size_t(row + i) * n + column + lane] = fmaxf(tile[threadIdx.y][i][lane] + bias[column + lane], 0.0f);
//@ from_the_bias
    // The bias first: what is added to a sum can stand in it before.
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane / 4 + 8 * half, x = column + 8 * j + lane % 4 * 2;
            float2 two;
            two.x = sums[j][2 * half];
            two.y = sums[j][2 * half + 1];
            if (x < n) {
                two.x += bias[x];
                two.y += bias[x + 1];
            }
            two.x = two.x > 0.0f ? two.x : 0.0f;
            two.y = two.y > 0.0f ? two.y : 0.0f;
            if (r < m && x < n)
                *reinterpret_cast<float2*>(c + size_t(r) * n + x) = two;
        }
//@ one_by_one
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned r = row + lane / 4 + i / 2 * 8, x = column + 8 * j + lane % 4 * 2 + i % 2;
            if (r < m && x < n)
                c[size_t(r) * n + x] = fmaxf(sums[j][i] + bias[x], 0.0f);
        }
//@ halves_swapped
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane / 4 + 8 * half, x = column + 8 * j + lane % 4 * 2;
            if (r < m && x < n)
                *reinterpret_cast<float2*>(c + size_t(r) * n + x) =
                    make_float2(fmaxf(sums[j][half] + bias[x], 0.0f),
                                fmaxf(sums[j][half + 2] + bias[x + 1], 0.0f));
        }
//@ turned
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane % 4 * 2 + 8 * half, x = column + 8 * j + lane / 4;
            for (unsigned i = 0; i < 2; ++i)
                if (r + i < m && x < n)
                    c[size_t(r + i) * n + x] = fmaxf(sums[j][2 * half + i] + bias[x], 0.0f);
        }
//@ bias_of_the_row
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane / 4 + 8 * half, x = column + 8 * j + lane % 4 * 2;
            if (r < m && x < n) {
                const float more = bias[r % n];
                *reinterpret_cast<float2*>(c + size_t(r) * n + x) =
                    make_float2(fmaxf(sums[j][2 * half] + more, 0.0f), fmaxf(sums[j][2 * half + 1] + more, 0.0f));
            }
        }
//@ relu_too_early
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane / 4 + 8 * half, x = column + 8 * j + lane % 4 * 2;
            if (r < m && x < n)
                *reinterpret_cast<float2*>(c + size_t(r) * n + x) =
                    make_float2(fmaxf(sums[j][2 * half], 0.0f) + bias[x], fmaxf(sums[j][2 * half + 1], 0.0f) + bias[x + 1]);
        }
//@ no_guard
    for (unsigned j = 0; j < 4; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + lane / 4 + 8 * half, x = column + 8 * j + lane % 4 * 2;
            *reinterpret_cast<float2*>(c + size_t(r) * n + x) =
                make_float2(fmaxf(sums[j][2 * half] + bias[x], 0.0f), fmaxf(sums[j][2 * half + 1] + bias[x + 1], 0.0f));
        }
//@ end
}
