// C = A · B as fast as the multiply-adds go. A block has a tile of C, a warp a part of it, a thread
// 8 × 8 to 16 × 8 elements in registers. Steps of k pass through a ring of stages in shared memory,
// filled by asynchronous copies; what lies outside is filled with zeros.
//
// With RING_LANES_M in front of it, this source has one kernel, `sgemm_ring`, as a tuner wants it:
//
//   RING_LANES_M, RING_THREAD_M, RING_THREAD_N, RING_WARPS_M, RING_WARPS_N, RING_STEP, RING_STAGES,
//   RING_SPLIT, RING_GROUP   the numbers of a `Tiling`, below
//   RING_BLOCKS              blocks of a multiprocessor that the registers are shared among
//   RING_TURNED_A, RING_TURNED_B   1 where A lies as k × m, B as n × k; 0 if left out

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// One float or four from global to shared memory, or zeros where there are none.
template <int FLOATS>
__device__ void copy_async(unsigned to, const float* from, bool is_inside)
{
    if (FLOATS == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :: "r"(to), "l"(from), "r"(is_inside ? 16 : 0) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :: "r"(to), "l"(from), "r"(is_inside ? 4 : 0) : "memory");
}

// In assembly, since the compiler would otherwise read parts of some of them twice.
__device__ void load4(float* to, unsigned from)
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]) : "r"(from) : "memory");
}

// A thread's share of the copies of a factor whose rows lie along k, as those of A do: eight lanes take
// 32 bytes of a row and turn them, so that a stage has a row for each k. The four floats behind a row
// spread what they write over the banks.
template <int SIDE, int THREADS, int STEP>
struct Turned {
    static constexpr int PITCH = SIDE + 4, ROWS = THREADS / 8, COUNT = SIDE / ROWS * (STEP / 8);
    const float* from;
    size_t pitch;
    unsigned to, inside = 0;
    int k;

    __device__ Turned(const float* factor, int row, int rows, int k0, int width, float* stage)
        : pitch(width), k(threadIdx.x % 8)
    {
        const int mine = threadIdx.x / 8;
        from = factor + (size_t)(row + mine) * width + k0 + k;
        to = shared_address(stage + k * PITCH + mine);
        for (int i = 0; i < SIDE / ROWS; ++i)
            inside |= (row + mine + i * ROWS < rows) << i;
    }
    __device__ void copy(int i, unsigned offset, int left) const
    {
        const int pass = i / (STEP / 8), further = i % (STEP / 8) * 8;
        copy_async<1>(to + offset + (further * PITCH + pass * ROWS) * 4, from + pass * ROWS * pitch + further,
                   (inside >> pass & 1) & (k + further < left));
    }
    __device__ void advance() { from += STEP; }
};

// A thread's share of the copies of a factor whose rows lie as a stage has them, as those of B do: four
// floats at a time where every row begins at a multiple of 16 bytes.
template <int SIDE, int THREADS, int STEP, int FLOATS>
struct Straight {
    static constexpr int PITCH = SIDE, WIDE = SIDE / FLOATS, ROWS = THREADS / WIDE, COUNT = STEP / ROWS;
    static_assert(THREADS % WIDE == 0 && STEP % ROWS == 0, "each thread has as many copies");
    const float* from;
    size_t pitch;
    unsigned to;
    int k;
    bool inside;

    __device__ Straight(const float* factor, int column, int columns, int k0, int, float* stage)
        : pitch(columns), k(threadIdx.x / WIDE)
    {
        const int mine = threadIdx.x % WIDE * FLOATS;
        inside = column + mine < columns;
        from = factor + (size_t)(k0 + k) * columns + column + mine;
        to = shared_address(stage + k * PITCH + mine);
    }
    __device__ void copy(int i, unsigned offset, int left) const
    {
        copy_async<FLOATS>(to + offset + i * ROWS * PITCH * 4, from + i * ROWS * pitch, inside & (k + i * ROWS < left));
    }
    __device__ void advance() { from += STEP * pitch; }
};

// Of the copies of a stage one part of `parts`; the compiler sees which.
template <class Copies>
__device__ void copy_part(const Copies& copies, int part, int parts, unsigned offset, int left)
{
#pragma unroll
    for (int i = 0; i < Copies::COUNT; ++i)
        if (i >= part * Copies::COUNT / parts && i < (part + 1) * Copies::COUNT / parts)
            copies.copy(i, offset, left);
}

__device__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Four elements of a row of C, those that it has.
__device__ void store(float* c, int row, int column, int m, int n, float v0, float v1, float v2, float v3)
{
    if (row >= m || column >= n)
        return;
    float* const to = c + (size_t)row * n + column;
    to[0] = v0;
    if (column + 1 < n)
        to[1] = v1;
    if (column + 2 < n)
        to[2] = v2;
    if (column + 3 < n)
        to[3] = v3;
}

// Four floats of the shared memory of block `rank` of the cluster, where this block has `address`.
__device__ float4 load4_of(unsigned address, unsigned rank)
{
    float4 v;
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(there) : "memory");
    return v;
}

// How the work is divided. LANES × (32 / LANES) lanes of a warp, M × N elements a thread, WARPS_M × WARPS_N
// warps a block; so much of k in a step, so many stages; SPLIT blocks of a cluster share the k of a tile;
// neighbours of so many rows of tiles run together, so that L2 serves both factors.
template <int LANES, int M, int N, int WARPS_DOWN, int WARPS_ACROSS, int STEP_K, int STAGES_OF_RING, int SPLIT_K, int ROWS_OF_TILES>
struct Tiling {
    static constexpr int LANES_M = LANES, LANES_N = 32 / LANES, THREAD_M = M, THREAD_N = N, WARPS_M = WARPS_DOWN;
    static constexpr int WARP_M = LANES_M * THREAD_M, WARP_N = LANES_N * THREAD_N;
    static constexpr int TILE_M = WARP_M * WARPS_M, TILE_N = WARP_N * WARPS_ACROSS;
    static constexpr int THREADS = WARPS_M * WARPS_ACROSS * 32;
    static constexpr int STEP = STEP_K, STAGES = STAGES_OF_RING, SPLIT = SPLIT_K, GROUP = ROWS_OF_TILES;
};

template <class T, class CopiesA, class CopiesB, bool SERPENTINE>
__device__ void multiply_by(const float* a, const float* b, float* c, int m, int n, int k)
{
    constexpr int LANES_M = T::LANES_M, LANES_N = T::LANES_N, WARP_M = T::WARP_M, WARP_N = T::WARP_N;
    constexpr int THREAD_M = T::THREAD_M, THREAD_N = T::THREAD_N, WARPS_M = T::WARPS_M;
    constexpr int TILE_M = T::TILE_M, TILE_N = T::TILE_N, THREADS = T::THREADS;
    constexpr int STEP = T::STEP, STAGES = T::STAGES, SPLIT = T::SPLIT, GROUP = T::GROUP;
    constexpr int STAGE_A = STEP * CopiesA::PITCH, STAGE_B = STEP * CopiesB::PITCH;
    extern __shared__ __align__(16) float shared[];
    float* const stages_b = shared + STAGES * STAGE_A;

    const int rows = (m + TILE_M - 1) / TILE_M, columns = (n + TILE_N - 1) / TILE_N;
    const int first = blockIdx.x / (GROUP * columns) * GROUP, in_group = blockIdx.x % (GROUP * columns);
    const int height = min(GROUP, rows - first);
    const int row = (first + in_group % height) * TILE_M, column = in_group / height * TILE_N;

    const int steps = (k + STEP - 1) / STEP, rank = SPLIT > 1 ? blockIdx.z : 0;
    const int from = steps * rank / SPLIT * STEP, to = min(k, steps * (rank + 1) / SPLIT * STEP);
    CopiesA copies_a(a, row, m, from, k, shared);
    CopiesB copies_b(b, column, n, from, k, stages_b);
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        copy_part(copies_a, 0, 1, s * STAGE_A * 4, to - from - s * STEP);
        copy_part(copies_b, 0, 1, s * STAGE_B * 4, to - from - s * STEP);
        asm volatile("cp.async.commit_group;" ::: "memory");
        copies_a.advance();
        copies_b.advance();
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();

    // Neighbouring lanes differ in the column, lanes two apart in the row: a load of 16 bytes takes
    // half the wavefronts where all lanes n and n ^ 1, or all n and n ^ 2, read the same.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_m = warp % WARPS_M * WARP_M, warp_n = warp / WARPS_M * WARP_N;
    const int lane_m = lane / 2 % LANES_M, lane_n = lane % 2 + lane / (2 * LANES_M) * 2;
    float sums[THREAD_M][THREAD_N] = {}, of_a[2][THREAD_M], of_b[2][THREAD_N];
    const unsigned own_a = shared_address(shared + warp_m + lane_m * 4);
    const unsigned own_b = shared_address(stages_b + warp_n + lane_n * 4);
    unsigned stage_a = own_a, stage_b = own_b;
    // What step p of k needs goes into one half of the registers while the other half is used.
    const auto load = [&](int half, int p) {
#pragma unroll
        for (int i = 0; i < THREAD_M; i += 4)
            load4(of_a[half] + i, stage_a + (p * CopiesA::PITCH + i * LANES_M) * 4);
#pragma unroll
        for (int j = 0; j < THREAD_N; j += 4)
            load4(of_b[half] + j, stage_b + (p * CopiesB::PITCH + j * LANES_N) * 4);
    };
    load(0, 0);
    int reading = 0, writing = STAGES - 1;
    for (int at = from; at < to; at += STEP) {
        const int left = to - at - (STAGES - 1) * STEP;
        reading = reading + 1 == STAGES ? 0 : reading + 1;
#pragma unroll
        for (int p = 0; p < STEP; ++p) {
            if (p == STEP - 1) {
                asm volatile("cp.async.commit_group;" ::: "memory");
                copies_a.advance();
                copies_b.advance();
                asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
                __syncthreads();
                stage_a = own_a + reading * STAGE_A * 4;
                stage_b = own_b + reading * STAGE_B * 4;
                load((p + 1) % 2, 0);
            } else {
                load((p + 1) % 2, p + 1);
            }
            // A multiply-add reads three registers, of which the one before may have left one: forth
            // and back along the rows, the turn keeps the column's.
#pragma unroll
            for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
                for (int j = 0; j < THREAD_N; ++j) {
                    const int turn = SERPENTINE && i % 2 ? THREAD_N - 1 - j : j;
                    sums[i][turn] = fmaf(of_a[p % 2][i], of_b[p % 2][turn], sums[i][turn]);
                }
            if (p < STEP - 1) {
                copy_part(copies_a, p, STEP - 1, writing * STAGE_A * 4, left);
                copy_part(copies_b, p, STEP - 1, writing * STAGE_B * 4, left);
            }
        }
        writing = writing + 1 == STAGES ? 0 : writing + 1;
    }

    // Element by element: stores of four would tie the sums to the banks of registers that the four of a
    // load of B are in, and each multiply-add would read twice from one bank.
    if (SPLIT == 1) {
#pragma unroll
        for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
            for (int j = 0; j < THREAD_N; j += 4)
                store(c, row + warp_m + (i / 4 * LANES_M + lane_m) * 4 + i % 4,
                      column + warp_n + (j / 4 * LANES_N + lane_n) * 4, m, n, sums[i][j], sums[i][j + 1],
                      sums[i][j + 2], sums[i][j + 3]);
        return;
    }
    // The blocks of a cluster put their sums into shared memory, and each adds up its rows of all.
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_N; j += 4)
            *reinterpret_cast<float4*>(shared + (warp_m + (i / 4 * LANES_M + lane_m) * 4 + i % 4) * TILE_N + warp_n +
                                       (j / 4 * LANES_N + lane_n) * 4) =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    cluster_barrier();
    constexpr int SHARE = (TILE_M + SPLIT - 1) / SPLIT, WIDE = TILE_N / 4;
    for (int e = threadIdx.x; e < SHARE * WIDE; e += THREADS) {
        const int r = rank * SHARE + e / WIDE, x = e % WIDE * 4;
        if (r >= TILE_M)
            break;
        float4 sum = {};
#pragma unroll
        for (int other = 0; other < SPLIT; ++other) {
            const float4 part = load4_of(shared_address(shared + r * TILE_N + x), other);
            sum = make_float4(sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w);
        }
        store(c, row + r, column + x, m, n, sum.x, sum.y, sum.z, sum.w);
    }
    cluster_barrier();
}

template <class T, bool TURNED_A, bool TURNED_B, bool SERPENTINE, int FLOATS>
__device__ void multiply_floats(const float* a, const float* b, float* c, int m, int n, int k)
{
    using TurnsA = Turned<T::TILE_M, T::THREADS, T::STEP>;
    using TurnsB = Turned<T::TILE_N, T::THREADS, T::STEP>;
    using KeepsA = Straight<T::TILE_M, T::THREADS, T::STEP, FLOATS>;
    using KeepsB = Straight<T::TILE_N, T::THREADS, T::STEP, FLOATS>;
    if constexpr (TURNED_A && TURNED_B)
        multiply_by<T, KeepsA, TurnsB, SERPENTINE>(a, b, c, m, n, k);
    else if constexpr (TURNED_A)
        multiply_by<T, KeepsA, KeepsB, SERPENTINE>(a, b, c, m, n, k);
    else if constexpr (TURNED_B)
        multiply_by<T, TurnsA, TurnsB, SERPENTINE>(a, b, c, m, n, k);
    else
        multiply_by<T, TurnsA, KeepsB, SERPENTINE>(a, b, c, m, n, k);
}

// Of a factor that keeps its rows they are copied four floats at a time where each begins at a multiple of 16 bytes.
template <class T, bool TURNED_A, bool TURNED_B, bool SERPENTINE>
__device__ void multiply(const float* a, const float* b, float* c, int m, int n, int k)
{
    if ((TURNED_B || n % 4 == 0) && (!TURNED_A || m % 4 == 0))
        multiply_floats<T, TURNED_A, TURNED_B, SERPENTINE, 4>(a, b, c, m, n, k);
    else
        multiply_floats<T, TURNED_A, TURNED_B, SERPENTINE, 1>(a, b, c, m, n, k);
}

#define SGEMM(name, blocks, split, tiling, turned_a, turned_b, serpentine)                                   \
    extern "C" __global__ void __launch_bounds__(tiling::THREADS, blocks) split                              \
        name(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned m,    \
             unsigned n, unsigned k)                                                                         \
    {                                                                                                        \
        multiply<tiling, turned_a, turned_b, serpentine>(a, b, c, m, n, k);                                  \
    }

#ifdef RING_LANES_M
#ifndef RING_TURNED_A
#define RING_TURNED_A 0
#endif
#ifndef RING_TURNED_B
#define RING_TURNED_B 0
#endif
using Wanted = Tiling<RING_LANES_M, RING_THREAD_M, RING_THREAD_N, RING_WARPS_M, RING_WARPS_N, RING_STEP, RING_STAGES,
                      RING_SPLIT, RING_GROUP>;
#if RING_SPLIT > 1
SGEMM(sgemm_ring, RING_BLOCKS, __cluster_dims__(1, 1, RING_SPLIT), Wanted, RING_TURNED_A, RING_TURNED_B, true)
#else
SGEMM(sgemm_ring, RING_BLOCKS, , Wanted, RING_TURNED_A, RING_TURNED_B, true)
#endif
#else
using Large = Tiling<4, 16, 8, 2, 4, 16, 4, 1, 8>;
using Small = Tiling<8, 8, 8, 2, 2, 16, 4, 1, 8>;
using Small3 = Tiling<8, 8, 8, 2, 2, 16, 4, 3, 8>;
using Square2 = Tiling<8, 8, 16, 2, 2, 16, 4, 2, 8>;
using Flat2 = Tiling<8, 8, 8, 1, 4, 16, 3, 2, 8>;
using Flat3 = Tiling<8, 8, 8, 1, 4, 16, 3, 3, 8>;
SGEMM(sgemm_ring_rows, 1, , Large, false, false, false)
SGEMM(sgemm_ring, 1, , Large, false, false, true)
SGEMM(sgemm_ring_nt, 1, , Large, false, true, true)
SGEMM(sgemm_ring_tn, 1, , Large, true, false, true)
SGEMM(sgemm_ring_tt, 1, , Large, true, true, true)
SGEMM(sgemm_ring_128x64, 4, , Small, false, false, true)
SGEMM(sgemm_ring_128x64_k3, 4, __cluster_dims__(1, 1, 3), Small3, false, false, true)
SGEMM(sgemm_ring_128x128_k2, 2, __cluster_dims__(1, 1, 2), Square2, false, false, true)
SGEMM(sgemm_ring_64x128_k2, 3, __cluster_dims__(1, 1, 2), Flat2, false, false, true)
SGEMM(sgemm_ring_64x128_k3, 3, __cluster_dims__(1, 1, 3), Flat3, false, false, true)
#endif
