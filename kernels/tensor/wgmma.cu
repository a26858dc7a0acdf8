// C = A · B in bf16 by `wgmma`: four warps together, a warpgroup, multiply 64 × 16 by 16 × 128 straight
// from shared memory, asynchronously. A block has 128 × 128 of C, each of its two warpgroups half of
// them; the copy engine fills a ring of four stages, each 64 of k, and the first thread drives it.

struct alignas(64) TensorMap {
    char bytes[128];
};

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Waits until the phase of this parity is over.
__device__ void wait(unsigned barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" :: "r"(barrier), "r"(parity) : "memory");
}

__device__ void init(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
}

__device__ void arrive_and_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

// A box of a matrix into shared memory; its bytes are counted at the barrier.
__device__ void load_box(unsigned to, const TensorMap* map, int x, int y, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

// What `wgmma` is told of an operand in shared memory that is swizzled over 128 bytes: where it begins,
// how far its next 64 columns lie (for an operand that lies transposed), how far its next eight rows.
// Of the address 18 bits count: those above say which block of the cluster, and belong to no field.
__device__ unsigned long long descriptor(unsigned address, unsigned next_columns, unsigned next_rows)
{
    return (address & 0x3ffff) >> 4 | (unsigned long long)(next_columns >> 4) << 16 | (unsigned long long)(next_rows >> 4) << 32 |
           1ull << 62;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// 64 × 16 of A by 16 × 128 of B, which lies as 16 rows of 128: added to the 64 sums of each thread of a
// warpgroup, or put there.
__device__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b, bool is_added)
{
    asm volatile("{\n"
                 ".reg .pred added;\n"
                 "setp.ne.b32 added, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, added, 1, 1, 0, 1;\n"
                 "}"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
                 : "l"(a), "l"(b), "r"((int)is_added));
}

__device__ unsigned pack(float low, float high)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

constexpr int TILE_M = 128, TILE_N = 128, STEP = 64, STAGES = 4;
constexpr int STAGE_A = TILE_M * STEP * 2, STAGE_B = STEP * TILE_N * 2;

extern "C" __global__ void __launch_bounds__(256, 1)
    wgmma_bf16(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
               unsigned short* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barriers[STAGES];
    const unsigned stages_a = shared_address(shared) + 1023 & ~1023u, stages_b = stages_a + STAGES * STAGE_A;
    const unsigned filled = shared_address(barriers);
    const int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = (k + STEP - 1) / STEP;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            init(filled + 8 * s, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    const auto fill = [&](int step) {
        if (threadIdx.x != 0 || step >= steps)
            return;
        const int s = step % STAGES;
        arrive_and_expect(filled + 8 * s, STAGE_A + STAGE_B);
        load_box(stages_a + s * STAGE_A, &map_a, step * STEP, row, filled + 8 * s);
        for (int half = 0; half < TILE_N / 64; ++half)
            load_box(stages_b + s * STAGE_B + half * STEP * 128, &map_b, column + half * 64, step * STEP, filled + 8 * s);
    };
    for (int s = 0; s < STAGES - 1; ++s)
        fill(s);

    const int group = threadIdx.x / 128;
    float sums[64];
    for (int step = 0; step < steps; ++step) {
        const int s = step % STAGES;
        wait(filled + 8 * s, step / STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int p = 0; p < STEP; p += 16)
            multiply(sums, descriptor(stages_a + s * STAGE_A + group * 64 * 128 + p * 2, 16, 1024),
                     descriptor(stages_b + s * STAGE_B + p * 128, STEP * 128, 1024), step + p > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // The products of the step before are done in all warps: its stage may be filled again.
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        __syncthreads();
        fill(step + STAGES - 1);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

    const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < 16; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const unsigned r = row + group * 64 + warp * 16 + half * 8 + lane / 4, x = column + j * 8 + lane % 4 * 2;
            if (r < m && x < n)
                *reinterpret_cast<unsigned*>(c + (size_t)r * n + x) =
                    pack(sums[j * 4 + half * 2], sums[j * 4 + half * 2 + 1]);
        }
}
