// Bulk and tensor copies of sm_90.
#include <cuda.h>

#define TILE 32

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}
__device__ __forceinline__ void barrier_init(unsigned long long* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ __forceinline__ void expect(unsigned long long* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive(unsigned long long* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void wait(unsigned long long* barrier, unsigned parity) {
    asm volatile(
        "{\n .reg .pred done;\n AGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, %2;\n @done bra DONE;\n bra AGAIN;\n DONE:\n}" ::"r"(shared_address(barrier)), "r"(parity), "r"(0x989680) : "memory");
}
__device__ __forceinline__ void load_tile(void* to, const CUtensorMap* map, int x, int y, unsigned long long* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void store_tile(const CUtensorMap* map, int x, int y, const void* from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(shared_address(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Where the word in this row and column is under a swizzle over 128 bytes.
__device__ __forceinline__ int swizzled(int row, int column) { return row * 32 + ((((column >> 2) ^ row) & 7) << 2 | (column & 3)); }

// Tiles come in and go out through swizzled shared memory; the edges are the copy engine's affair.
extern "C" __global__ void transpose_tiles(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ __align__(1024) float from[TILE * TILE];
    __shared__ __align__(1024) float to[TILE * TILE];
    __shared__ unsigned long long barrier;
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&in) : "memory");
        barrier_init(&barrier, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (thread == 0) {
        expect(&barrier, sizeof from);
        load_tile(from, &in, blockIdx.x * TILE, blockIdx.y * TILE, &barrier);
    }
    wait(&barrier, 0);
    for (int y = threadIdx.y; y < TILE; y += blockDim.y) to[swizzled(threadIdx.x, y)] = from[swizzled(y, threadIdx.x)];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (thread == 0) {
        store_tile(&out, blockIdx.y * TILE, blockIdx.x * TILE, to);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

// One warp keeps three stages filled, the others add up what comes: a block walks down its columns.
extern "C" __global__ void __cluster_dims__(1, 1, 1) specialised_warps(const __grid_constant__ CUtensorMap in, float* __restrict__ sums, int rows, int columns) {
    const int stages = 3, height = 8;
    __shared__ __align__(128) float tile[stages][height][TILE];
    __shared__ unsigned long long full[stages], empty[stages];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, consumers = blockDim.x / 32 - 1;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&full[stage], 1);
            barrier_init(&empty[stage], consumers);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    int strips = (columns + TILE - 1) / TILE, batches = (rows + height - 1) / height;
    if (warp == consumers) {
        if (lane == 0) {
            int number = 0;
            for (int strip = blockIdx.x; strip < strips; strip += gridDim.x) {
                for (int batch = 0; batch < batches; ++batch, ++number) {
                    int stage = number % stages;
                    wait(&empty[stage], (number / stages & 1) ^ 1);
                    expect(&full[stage], sizeof tile[0]);
                    load_tile(tile[stage], &in, strip * TILE, batch * height, &full[stage]);
                }
            }
        }
    } else {
        int number = 0;
        for (int strip = blockIdx.x; strip < strips; strip += gridDim.x) {
            float sum = 0;
            for (int batch = 0; batch < batches; ++batch, ++number) {
                int stage = number % stages;
                wait(&full[stage], number / stages & 1);
                for (int row = warp; row < height; row += consumers) sum += tile[stage][row][lane];
                __syncwarp();
                if (lane == 0) arrive(&empty[stage]);
            }
            int column = strip * TILE + lane;
            if (column < columns) atomicAdd(&sums[column], sum);
        }
    }
}

// Bytes through shared memory: what is a multiple of 16 by the copy engine, the rest by threads.
extern "C" __global__ void bulk_bytes(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int bytes, int chunk) {
    extern __shared__ __align__(128) unsigned char buffer[];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) barrier_init(&barrier, 1);
    __syncthreads();
    int first = blockIdx.x * chunk, count = min(chunk, bytes - first), whole = count & ~15;
    if (threadIdx.x == 0 && whole) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(whole) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(buffer)), "l"(in + first), "r"(whole), "r"(shared_address(&barrier)) : "memory");
    }
    if (threadIdx.x == 0) arrive(&barrier);
    wait(&barrier, 0);
    for (int at = threadIdx.x; at < whole; at += blockDim.x) buffer[at] ^= 0x5a;
    for (int at = whole + threadIdx.x; at < count; at += blockDim.x) out[first + at] = in[first + at] ^ 0x5a;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0 && whole) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + first), "r"(shared_address(buffer)), "r"(whole) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Every block adds its numbers to the same sums, and keeps the largest.
extern "C" __global__ void bulk_reduce(unsigned* __restrict__ sums, int* __restrict__ most) {
    __shared__ __align__(16) unsigned values[64];
    __shared__ __align__(16) int signed_values[64];
    values[threadIdx.x] = blockIdx.x * 1000003u + threadIdx.x;
    signed_values[threadIdx.x] = (int)((blockIdx.x * 7919 + threadIdx.x * 104729) % 2001) - 1000;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(sums), "r"(shared_address(values)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], 256;" ::"l"(most), "r"(shared_address(signed_values)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        // Nobody waits: the copies are done when the block is.
    }
}

// Tiles of a volume, from one place in shared memory to another, and what a thread knows of its cluster.
extern "C" __global__ void volume(const __grid_constant__ CUtensorMap in, unsigned short* __restrict__ out, unsigned* __restrict__ ranks, int x, int y, int z) {
    __shared__ __align__(128) unsigned short tile[5][3][16];
    __shared__ __align__(128) unsigned short again[5][3][16];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) barrier_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&barrier, sizeof tile);
        unsigned short mask = 1;
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(tile)), "l"(&in), "r"(x), "r"(y), "r"(z), "r"(shared_address(&barrier)), "h"(mask) : "memory");
        wait(&barrier, 0);
        expect(&barrier, sizeof tile);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(again)), "r"(shared_address(tile)), "r"((unsigned)sizeof tile), "r"(shared_address(&barrier)) : "memory");
    }
    if (threadIdx.x != 0) wait(&barrier, 0);
    wait(&barrier, 1);
    const unsigned short* flat = &again[0][0][0];
    for (int at = threadIdx.x; at < 5 * 3 * 16; at += blockDim.x) out[at] = flat[at];
    unsigned rank, size, remote, value;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(shared_address(flat)));
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(value) : "r"(remote));
    if (threadIdx.x == 0) {
        ranks[0] = rank;
        ranks[1] = size;
        ranks[2] = value;
    }
}
