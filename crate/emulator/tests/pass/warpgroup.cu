// Products of bfloat16 matrices by warpgroups: tiles come by tensor copies, wgmma multiplies them from shared memory.
//
// A is m x k, B is n x k, both with k side by side, C is m x n of float32. All shapes: what lies outside is zeros.
typedef unsigned long long u64;

// As in cuda.h, which NVRTC does not bring.
struct __align__(64) CUtensorMap {
    u64 opaque[16];
};

#define ROWS 128
#define COLUMNS 128
#define DEPTH 64
#define STAGES 3
// A tile of 128 rows of 128 bytes.
#define TILE_BYTES 16384

__device__ __forceinline__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
__device__ __forceinline__ void barrier_init(u64* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ __forceinline__ void expect(u64* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive(u64* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void wait(u64* barrier, unsigned parity) {
    asm volatile("{\n .reg .pred done;\n AGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done bra AGAIN;\n}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
__device__ __forceinline__ void load_tile(void* to, const CUtensorMap* map, int x, int y, u64* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void store_tile(const CUtensorMap* map, int x, int y, const void* from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(shared_address(from)) : "memory");
}
__device__ __forceinline__ void fence_barriers() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// A tile of rows of 128 bytes under the swizzle of 128 bytes: 1024 bytes from eight rows to the next.
__device__ __forceinline__ u64 describe(const void* tile) {
    return (u64)((shared_address(tile) & 0x3ffff) >> 4) | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62;
}

#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), FOUR(d, i + 8), FOUR(d, i + 12)

// 64 x 128 sums of a warpgroup, 16 elements along k.
__device__ __forceinline__ void multiply(float (&d)[64], u64 a, u64 b, int adds) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.b32 p, %66, 0;\n"
        " wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
        "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;\n}"
        : SIXTEEN(d, 0), SIXTEEN(d, 16), SIXTEEN(d, 32), SIXTEEN(d, 48)
        : "l"(a), "l"(b), "r"(adds));
}
__device__ __forceinline__ void multiply_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT>
__device__ __forceinline__ void multiply_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory"); }

// Stores the sums of a warpgroup's 64 rows.
__device__ __forceinline__ void store_sums(const float (&d)[64], float* c, int m, int n, int first_row, int first_column) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    int row = first_row + 16 * warp + lane / 4;
    for (int i = 0; i < 64; i++) {
        int r = row + i / 2 % 2 * 8, column = first_column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (r < m && column < n) c[(size_t)r * n + column] = d[i];
    }
}

// One warpgroup, one tile of 64 x 128: a copy, a product, and again.
extern "C" __global__ void __launch_bounds__(128) simple(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
    __shared__ __align__(1024) unsigned char of_a[TILE_BYTES / 2], of_b[TILE_BYTES];
    __shared__ u64 full;
    int row = blockIdx.y * 64, column = blockIdx.x * COLUMNS;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_barriers();
    }
    __syncthreads();
    float d[64];
    for (int i = 0; i < 64; i++) d[i] = 0;
    #pragma unroll 1
    for (int at = 0, turn = 0; at < k; at += DEPTH, turn ^= 1) {
        if (threadIdx.x == 0) {
            expect(&full, TILE_BYTES * 3 / 2);
            load_tile(of_a, &a, at, row, &full);
            load_tile(of_b, &b, at, column, &full);
        }
        wait(&full, turn);
        multiply_fence();
        u64 da = describe(of_a), db = describe(of_b);
        for (int part = 0; part < 4; part++) multiply(d, da + 2 * part, db + 2 * part, 1);
        commit();
        multiply_wait<0>();
        // The tiles are read: the next may come.
        __syncthreads();
    }
    store_sums(d, c, m, n, row, column);
}

// The same from what threads have stored themselves, without a swizzle: cores of 8 rows by 16 bytes, 128 bytes each.
extern "C" __global__ void __launch_bounds__(128) stored(const unsigned short* a, const unsigned short* b, float* c, int m, int n, int k) {
    __shared__ __align__(128) unsigned short of_a[64 * 16], of_b[COLUMNS * 16];
    int row = blockIdx.y * 64, column = blockIdx.x * COLUMNS;
    float d[64];
    #pragma unroll 1
    for (int at = 0; at < k; at += 16) {
        #pragma unroll 1
        for (int i = threadIdx.x; i < 64 * 16; i += 128) {
            int r = i / 16, e = i % 16;
            of_a[r / 8 * 128 + e / 8 * 64 + r % 8 * 8 + e % 8] = row + r < m && at + e < k ? a[(size_t)(row + r) * k + at + e] : 0;
        }
        #pragma unroll 1
        for (int i = threadIdx.x; i < COLUMNS * 16; i += 128) {
            int r = i / 16, e = i % 16;
            of_b[r / 8 * 128 + e / 8 * 64 + r % 8 * 8 + e % 8] = column + r < n && at + e < k ? b[(size_t)(column + r) * k + at + e] : 0;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        multiply_fence();
        u64 da = (u64)(shared_address(of_a) >> 4) | (u64)8 << 16 | (u64)16 << 32;
        u64 db = (u64)(shared_address(of_b) >> 4) | (u64)8 << 16 | (u64)16 << 32;
        multiply(d, da, db, at > 0);
        commit();
        multiply_wait<0>();
        __syncthreads();
    }
    store_sums(d, c, m, n, row, column);
}

// Persistent and specialised: one warp of the first warpgroup brings tiles through a ring of stages, two warpgroups multiply, and
// each stores its half through shared memory by a tensor copy.
extern "C" __global__ void __launch_bounds__(384, 1) specialised(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int m, int n, int k) {
    extern __shared__ __align__(1024) unsigned char ring[];
    __shared__ u64 full[STAGES], empty[STAGES];
    unsigned char *of_a = ring, *of_b = ring + STAGES * TILE_BYTES, *out = ring + 2 * STAGES * TILE_BYTES;
    int across = (n + COLUMNS - 1) / COLUMNS, tiles = across * ((m + ROWS - 1) / ROWS), steps = (k + DEPTH - 1) / DEPTH;
    int group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(&full[stage], 1);
            barrier_init(&empty[stage], 2);
        }
        fence_barriers();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            int turn = 0;
            #pragma unroll 1
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                int row = tile / across * ROWS, column = tile % across * COLUMNS;
                #pragma unroll 1
                for (int step = 0; step < steps; step++, turn++) {
                    int stage = turn % STAGES;
                    if (turn >= STAGES) wait(&empty[stage], (turn / STAGES - 1) & 1);
                    expect(&full[stage], 2 * TILE_BYTES);
                    load_tile(of_a + stage * TILE_BYTES, &a, step * DEPTH, row, &full[stage]);
                    load_tile(of_b + stage * TILE_BYTES, &b, step * DEPTH, column, &full[stage]);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int half = group - 1, thread = threadIdx.x % 128, turn = 0;
        float d[64];
        float* mine = (float*)(out + half * 64 * COLUMNS * 4);
        #pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            int row = tile / across * ROWS + half * 64, column = tile % across * COLUMNS;
            #pragma unroll 1
            for (int step = 0; step < steps; step++, turn++) {
                int stage = turn % STAGES;
                wait(&full[stage], turn / STAGES & 1);
                multiply_fence();
                u64 da = describe(of_a + stage * TILE_BYTES + half * (TILE_BYTES / 2)), db = describe(of_b + stage * TILE_BYTES);
                for (int part = 0; part < 4; part++) multiply(d, da + 2 * part, db + 2 * part, step > 0 || part > 0);
                commit();
                // The products of the step before are done, and with them its stage.
                multiply_wait<1>();
                if (step > 0 && thread == 0) arrive(&empty[(turn - 1) % STAGES]);
            }
            multiply_wait<0>();
            if (thread == 0) arrive(&empty[(turn - 1) % STAGES]);
            // What the copy before reads of the staging memory must be read.
            if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            asm volatile("bar.sync %0, 128;" ::"r"(1 + half) : "memory");
            int lane = thread % 32, warp = thread / 32;
            for (int i = 0; i < 64; i++) {
                int r = 16 * warp + lane / 4 + i / 2 % 2 * 8, x = i / 4 * 8 + lane % 4 * 2 + i % 2;
                mine[r * COLUMNS + x] = d[i];
            }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            asm volatile("bar.sync %0, 128;" ::"r"(1 + half) : "memory");
            if (thread == 0) {
                store_tile(&c, column, row, mine);
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            }
        }
        if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// As `specialised`, by clusters of two blocks one above the other: they share the columns, of which each brings half and
// sends it to both. A stage is empty when both blocks have read it.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1) clustered(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
    extern __shared__ __align__(1024) unsigned char ring[];
    __shared__ u64 full[STAGES], empty[STAGES];
    unsigned char *of_a = ring, *of_b = ring + STAGES * (TILE_BYTES / 2);
    int across = (n + COLUMNS - 1) / COLUMNS, steps = (k + DEPTH - 1) / DEPTH;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    int pair = blockIdx.x / 2, row = (pair / across * 2 + rank) * 64, column = pair % across * COLUMNS;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(&full[stage], 1);
            barrier_init(&empty[stage], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (threadIdx.x < 128) {
        if (threadIdx.x == 0) {
            #pragma unroll 1
            for (int step = 0; step < steps; step++) {
                int stage = step % STAGES;
                if (step >= STAGES) wait(&empty[stage], (step / STAGES - 1) & 1);
                expect(&full[stage], TILE_BYTES * 3 / 2);
                load_tile(of_a + stage * (TILE_BYTES / 2), &a, step * DEPTH, row, &full[stage]);
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(of_b + stage * TILE_BYTES + rank * (TILE_BYTES / 2))), "l"(&b), "r"(step * DEPTH), "r"(column + (int)rank * 64), "r"(shared_address(&full[stage])), "h"((unsigned short)3) : "memory");
            }
        }
    } else {
        float d[64];
        #pragma unroll 1
        for (int step = 0; step < steps; step++) {
            int stage = step % STAGES;
            wait(&full[stage], step / STAGES & 1);
            multiply_fence();
            u64 da = describe(of_a + stage * (TILE_BYTES / 2)), db = describe(of_b + stage * TILE_BYTES);
            for (int part = 0; part < 4; part++) multiply(d, da + 2 * part, db + 2 * part, step > 0 || part > 0);
            commit();
            multiply_wait<0>();
            // Two threads tell the two blocks.
            if (threadIdx.x % 128 < 2) {
                asm volatile("{\n .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(&empty[stage])), "r"(threadIdx.x % 128) : "memory");
            }
        }
        store_sums(d, c, m, n, row, column);
    }
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
