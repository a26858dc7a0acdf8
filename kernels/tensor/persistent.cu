// C = A · B at the speed of the tensor cores, in numbers of 2, 4 or 1 bytes. A block stays on its
// multiprocessor and takes one tile of 128 × 256 after the other. One warpgroup, the producer, only
// drives the copy engine; two, the consumers, only multiply, each 64 × 256, and have the producer's
// registers. Two blocks of a cluster have tiles one above the other and bring each other half of B.
// Tiles leave through shared memory by the copy engine as well. Rows of shared memory have 128 bytes
// of k, whatever the numbers; B lies as n × k where its numbers have not 2 bytes, since the tensor
// cores turn only those.

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

// The same into the shared memory of both blocks of the cluster, and counted at the barriers of both.
__device__ void load_box_for_both(unsigned to, const TensorMap* map, int x, int y, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((unsigned short)3) : "memory");
}

__device__ void store_box(const TensorMap* map, int x, int y, unsigned from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(map), "r"(x), "r"(y), "r"(from) : "memory");
}

// Arrives at the barrier that block `rank` of the cluster has where this block has `barrier`.
__device__ void arrive_at(unsigned barrier, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(barrier), "r"(rank));
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" :: "r"(there) : "memory");
}

__device__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Of one warpgroup.
__device__ void barrier_of(int group) { asm volatile("bar.sync %0, 128;" :: "r"(group + 1) : "memory"); }

// What `wgmma` is told of an operand in shared memory that is swizzled over 128 bytes: where it begins,
// how far its next 64 columns lie (for an operand that is turned), how far its next eight rows.
// Of the address 18 bits count: those above say which block of the cluster, and belong to no field.
__device__ unsigned long long descriptor(unsigned address, unsigned next_columns, unsigned next_rows)
{
    return (address & 0x3ffff) >> 4 | (unsigned long long)(next_columns >> 4) << 16 | (unsigned long long)(next_rows >> 4) << 32 |
           1ull << 62;
}

#define FOUR(as, i) as(d[i]), as(d[i + 1]), as(d[i + 2]), as(d[i + 3])
#define SIXTEEN(as, i) FOUR(as, i), FOUR(as, i + 4), FOUR(as, i + 8), FOUR(as, i + 12)

// 64 rows of A by 256 columns of B, 32 bytes of k of each: added to the 128 sums of each thread of a
// warpgroup, or put there.
#define MULTIPLY(instruction, further, sum, as)                                                              \
    static __device__ void multiply(sum (&d)[128], unsigned long long a, unsigned long long b, bool is_added) \
    {                                                                                                        \
        asm volatile("{\n"                                                                                   \
                     ".reg .pred added;\n"                                                                   \
                     "setp.ne.b32 added, %130, 0;\n"                                                         \
                     "wgmma.mma_async.sync.aligned." instruction " {"                                        \
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                \
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "      \
                     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "      \
                     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "      \
                     "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "      \
                     "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "      \
                     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
                     "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127" \
                     "}, %128, %129, added" further ";\n"                                                    \
                     "}"                                                                                     \
                     : SIXTEEN(as, 0), SIXTEEN(as, 16), SIXTEEN(as, 32), SIXTEEN(as, 48), SIXTEEN(as, 64),   \
                       SIXTEEN(as, 80), SIXTEEN(as, 96), SIXTEEN(as, 112)                                    \
                     : "l"(a), "l"(b), "r"((int)is_added));                                                  \
    }

__device__ unsigned pack_bf16(float low, float high)
{
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// What differs between numbers: how many bytes one of A and B has, whether B is turned, what is added up,
// and how two sums leave as one register (`pack`) where C has 2 bytes; else they leave as they are.
struct Bf16 {
    using Sum = float;
    static constexpr int BYTES = 2, BYTES_OF_C = 2;
    static constexpr bool TURNS_B = true;
    MULTIPLY("m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 1", float, "+f")
    static __device__ unsigned pack(float low, float high) { return pack_bf16(low, high); }
};

struct F16 {
    using Sum = float;
    static constexpr int BYTES = 2, BYTES_OF_C = 2;
    static constexpr bool TURNS_B = true;
    MULTIPLY("m64n256k16.f32.f16.f16", ", 1, 1, 0, 1", float, "+f")
    static __device__ unsigned pack(float low, float high)
    {
        unsigned both;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
        return both;
    }
};

struct Tf32 {
    using Sum = float;
    static constexpr int BYTES = 4, BYTES_OF_C = 4;
    static constexpr bool TURNS_B = false;
    MULTIPLY("m64n256k8.f32.tf32.tf32", ", 1, 1", float, "+f")
};

struct S8 {
    using Sum = int;
    static constexpr int BYTES = 1, BYTES_OF_C = 4;
    static constexpr bool TURNS_B = false;
    MULTIPLY("m64n256k32.s32.s8.s8", "", int, "+r")
};

struct E4m3 {
    using Sum = float;
    static constexpr int BYTES = 1, BYTES_OF_C = 2;
    static constexpr bool TURNS_B = false;
    MULTIPLY("m64n256k32.f32.e4m3.e4m3", ", 1, 1", float, "+f")
    static __device__ unsigned pack(float low, float high) { return pack_bf16(low, high); }
};

__device__ void store_matrices(unsigned to, unsigned v0, unsigned v1, unsigned v2, unsigned v3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"(to), "r"(v0), "r"(v1), "r"(v2), "r"(v3) : "memory");
}

// A row of shared memory has ROW bytes, a box 64 rows.
constexpr int TILE_M = 128, TILE_N = 256, ROW = 128, STAGES = 4, BLOCKS = 2, CONSUMERS = 2;
constexpr int STAGE_A = TILE_M * ROW, STAGE_B = TILE_N * ROW, BOX = 64 * ROW;

struct Stage {
    unsigned at = 0, parity = 0;
    __device__ void next()
    {
        if (++at == STAGES) {
            at = 0;
            parity ^= 1;
        }
    }
};

// The tiles of a cluster, one below the other; neighbours of 16 rows of them run together, so that L2
// serves both factors.
struct Tiles {
    int rows, columns;
    __device__ Tiles(int m, int n)
        : rows((m + BLOCKS * TILE_M - 1) / (BLOCKS * TILE_M)), columns((n + TILE_N - 1) / TILE_N)
    {
    }
    __device__ void place(int tile, unsigned rank, int& row, int& column) const
    {
        constexpr int GROUP = 16;
        const int first = tile / (GROUP * columns) * GROUP, in_group = tile % (GROUP * columns);
        const int height = min(GROUP, rows - first);
        row = ((first + in_group % height) * BLOCKS + rank) * TILE_M;
        column = in_group / height * TILE_N;
    }
};

// The sums of a warpgroup that belong into box `box` of its rows of C, swizzled as the copy engine wants them.
template <class Format>
__device__ void put(const typename Format::Sum (&sums)[128], int box, unsigned at, int warp, int lane)
{
    using Sum = typename Format::Sum;
    if constexpr (Format::BYTES_OF_C == 2) {
        const unsigned r = warp * 16 + lane % 16;
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            const Sum* const v = sums + box * 32 + j * 4;
            store_matrices(at + r * ROW + ((j + lane / 16 ^ r % 8) << 4), Format::pack(v[0], v[1]),
                           Format::pack(v[2], v[3]), Format::pack(v[4], v[5]), Format::pack(v[6], v[7]));
        }
    } else {
        // Each thread has two neighbours of eight rows, and two of the eight rows below.
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const unsigned r = warp * 16 + half * 8 + lane / 4;
                const Sum* const v = sums + box * 16 + j * 4 + half * 2;
                const unsigned to = at + r * ROW + ((j * 2 + lane % 4 / 2 ^ r % 8) << 4) + lane % 2 * 8;
                asm volatile("st.shared.v2.b32 [%0], {%1, %2};"
                             :: "r"(to), "r"(reinterpret_cast<const unsigned&>(v[0])),
                                "r"(reinterpret_cast<const unsigned&>(v[1])) : "memory");
            }
    }
}

template <class Format>
__device__ void multiply(const TensorMap& map_a, const TensorMap& map_b, const TensorMap& map_c, unsigned m,
                         unsigned n, unsigned k)
{
    constexpr int STEP = ROW / Format::BYTES, COLUMNS = ROW / Format::BYTES_OF_C;
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ unsigned long long barriers[2 * STAGES];
    const unsigned stages_a = shared_address(shared) + 1023 & ~1023u, stages_b = stages_a + STAGES * STAGE_A;
    const unsigned boxes_c = stages_b + STAGES * STAGE_B;
    const unsigned filled = shared_address(barriers), emptied = filled + 8 * STAGES;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            init(filled + 8 * s, 1);
            init(emptied + 8 * s, BLOCKS * CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();

    const Tiles tiles(m, n);
    const int steps = (k + STEP - 1) / STEP, group = threadIdx.x / 128;
    const int first = blockIdx.x / BLOCKS, apart = gridDim.x / BLOCKS, count = tiles.rows * tiles.columns;
    int row, column;
    Stage stage;
    if (group == CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x % 128 == 0)
            for (int tile = first; tile < count; tile += apart) {
                tiles.place(tile, rank, row, column);
#pragma unroll 1
                for (int step = 0; step < steps; ++step, stage.next()) {
                    const unsigned barrier = filled + 8 * stage.at;
                    wait(emptied + 8 * stage.at, stage.parity ^ 1);
                    arrive_and_expect(barrier, STAGE_A + STAGE_B);
                    load_box(stages_a + stage.at * STAGE_A, &map_a, step * STEP, row, barrier);
                    const unsigned of_b = stages_b + stage.at * STAGE_B;
                    if constexpr (Format::TURNS_B)
                        for (int i = 0; i < TILE_N / 64 / BLOCKS; ++i) {
                            const int box = rank * (TILE_N / 64 / BLOCKS) + i;
                            load_box_for_both(of_b + box * BOX, &map_b, column + box * 64, step * STEP, barrier);
                        }
                    else
                        load_box_for_both(of_b + rank * (STAGE_B / BLOCKS), &map_b, step * STEP,
                                          column + rank * (TILE_N / BLOCKS), barrier);
                }
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        const int thread = threadIdx.x % 128, warp = thread / 32, lane = thread % 32;
        typename Format::Sum sums[128];
        for (int tile = first; tile < count; tile += apart) {
            tiles.place(tile, rank, row, column);
#pragma unroll 1
            for (int step = 0; step < steps; ++step) {
                const unsigned of_a = stages_a + stage.at * STAGE_A, of_b = stages_b + stage.at * STAGE_B;
                wait(filled + 8 * stage.at, stage.parity);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int p = 0; p < ROW; p += 32)
                    Format::multiply(sums, descriptor(of_a + group * BOX + p, 16, 1024),
                                     Format::TURNS_B ? descriptor(of_b + p / 2 * ROW, BOX, 1024)
                                                     : descriptor(of_b + p, 16, 1024),
                                     step + p > 0);
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                // The products of the step before are done: both producers may fill its stage again.
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (step > 0 && thread < BLOCKS)
                    arrive_at(emptied + 8 * ((stage.at + STAGES - 1) % STAGES), thread);
                stage.next();
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (thread < BLOCKS)
                arrive_at(emptied + 8 * ((stage.at + STAGES - 1) % STAGES), thread);

            // Boxes of 64 rows, in turns through two places.
#pragma unroll
            for (int box = 0; box < TILE_N / COLUMNS; ++box) {
                const unsigned at = boxes_c + (group * 2 + box % 2) * BOX;
                if (thread == 0)
                    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
                barrier_of(group);
                put<Format>(sums, box, at, warp, lane);
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                barrier_of(group);
                if (thread == 0) {
                    store_box(&map_c, column + box * COLUMNS, row + group * 64, at);
                    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
                }
            }
        }
        if (thread == 0)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    // Neither block ends while the other may write into it.
    cluster_barrier();
}

#define PRODUCT(name, Format)                                                                                \
    extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(128 * (1 + CONSUMERS), 1)    \
        name(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,               \
             const __grid_constant__ TensorMap map_c, unsigned m, unsigned n, unsigned k)                    \
    {                                                                                                        \
        multiply<Format>(map_a, map_b, map_c, m, n, k);                                                      \
    }

PRODUCT(persistent_bf16, Bf16)
PRODUCT(persistent_f16, F16)
PRODUCT(persistent_tf32, Tf32)
PRODUCT(persistent_s8, S8)
PRODUCT(persistent_e4m3, E4m3)
