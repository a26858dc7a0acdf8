// C = A · B in bf16 by `mma.sync`: a warp multiplies 16 × 16 by 16 × 8 from registers, into which
// `ldmatrix` brings 8 × 8 matrices from shared memory. A block has 128 × 256 of C, a warp 64 × 64 of
// them; steps of 64 of k pass through a ring of three stages. A row's pieces of 16 bytes change
// places with the row, so that the eight rows of a matrix lie in different banks.

constexpr int TILE_M = 128, TILE_N = 256, STEP = 64, STAGES = 3, THREADS = 256;
constexpr int STAGE_A = TILE_M * STEP * 2, STAGE_B = STEP * TILE_N * 2;

// Where a piece of 16 bytes lies in a stage whose rows are as many pieces long.
__device__ unsigned swizzled(int row, int piece, int pieces) { return (row * pieces + (piece ^ row % 8)) * 16; }

__device__ void copy_async(unsigned to, const void* from, bool is_inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(to), "l"(from), "r"(is_inside ? 16 : 0) : "memory");
}

__device__ void load(unsigned (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

__device__ void load_transposed(unsigned (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}

__device__ void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pack(float low, float high)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    mma_bf16(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
             unsigned short* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    extern __shared__ __align__(128) unsigned char shared[];
    const unsigned stages_a = (unsigned)__cvta_generic_to_shared(shared), stages_b = stages_a + STAGES * STAGE_A;
    const unsigned columns = (n + TILE_N - 1) / TILE_N, rows = (m + TILE_M - 1) / TILE_M;
    constexpr unsigned GROUP = 8;
    const unsigned first = blockIdx.x / (GROUP * columns) * GROUP, in_group = blockIdx.x % (GROUP * columns);
    const unsigned height = min(GROUP, rows - first);
    const unsigned row = (first + in_group % height) * TILE_M, column = in_group / height * TILE_N;
    const unsigned steps = (k + STEP - 1) / STEP;

    const auto fill = [&](unsigned stage, unsigned step) {
        if (step < steps) {
#pragma unroll
            for (int i = 0; i < TILE_M * STEP / 8 / THREADS; ++i) {
                const unsigned e = i * THREADS + threadIdx.x, r = e / 8, piece = e % 8;
                const bool is_inside = row + r < m && step * STEP + piece * 8 < k;
                copy_async(stages_a + stage * STAGE_A + swizzled(r, piece, 8),
                           is_inside ? a + (size_t)(row + r) * k + step * STEP + piece * 8 : a, is_inside);
            }
#pragma unroll
            for (int i = 0; i < STEP * TILE_N / 8 / THREADS; ++i) {
                const unsigned e = i * THREADS + threadIdx.x, r = e / 32, piece = e % 32;
                const bool is_inside = step * STEP + r < k && column + piece * 8 < n;
                copy_async(stages_b + stage * STAGE_B + swizzled(r, piece, 32),
                           is_inside ? b + (size_t)(step * STEP + r) * n + column + piece * 8 : b, is_inside);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (unsigned s = 0; s < STAGES - 1; ++s)
        fill(s, s);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_m = warp % 2 * 64, warp_n = warp / 2 * 64;
    float sums[4][8][4] = {};
    unsigned reading = 0, writing = STAGES - 1;
    for (unsigned step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        fill(writing, step + STAGES - 1);
        const unsigned of_a = stages_a + reading * STAGE_A, of_b = stages_b + reading * STAGE_B;
#pragma unroll
        for (int p = 0; p < STEP; p += 16) {
            unsigned left[4][4], right[4][4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                load(left[i], of_a + swizzled(warp_m + i * 16 + lane % 16, p / 8 + lane / 16, 8));
#pragma unroll
            for (int j = 0; j < 4; ++j)
                load_transposed(right[j], of_b + swizzled(p + lane % 16, warp_n / 8 + j * 2 + lane / 16, 32));
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    multiply(sums[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
        }
        reading = reading + 1 == STAGES ? 0 : reading + 1;
        writing = writing + 1 == STAGES ? 0 : writing + 1;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const unsigned r = row + warp_m + i * 16 + half * 8 + lane / 4;
                const unsigned x = column + warp_n + j * 8 + lane % 4 * 2;
                if (r < m && x < n)
                    *reinterpret_cast<unsigned*>(c + (size_t)r * n + x) =
                        pack(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
            }
}
