// Transpose by blocks that stay: while a tile is turned, the next two are on
// their way in and the last one on its way out.
//
// in: rows × columns, out: columns × rows, both row-major, as tensor maps with
// boxes of 64×64. Block 256; dynamic shared memory for three tiles. Tiles are
// counted down the columns of `in`; block b takes tiles b, b + blocks, b + 2 · blocks …

// What the driver makes and the copy engine reads.
struct alignas(64) TensorMap { unsigned char bytes[128]; };

constexpr unsigned stages = 3;
extern __shared__ __align__(128) float4 tiles[/* stages */][64][16];

__device__ unsigned shared(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

// Starts the load of a tile; the mbarrier's phase ends when all of it has come.
__device__ void load(const TensorMap& in, unsigned tile, unsigned tiles_down, unsigned stage,
                     unsigned long long* arrived)
{
    const int x = tile / tiles_down * 64, y = tile % tiles_down * 64;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(shared(arrived)), "r"(unsigned(sizeof tiles[0])) : "memory");
    unsigned long long policy; // as in tma_64x64
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
                 " [%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(shared(tiles[stage])), "l"(&in), "r"(x), "r"(y), "r"(shared(arrived)), "l"(policy) : "memory");
}

extern "C" __global__ void __launch_bounds__(256) tma_pipelined(const __grid_constant__ TensorMap in,
                                                                const __grid_constant__ TensorMap out,
                                                                unsigned rows, unsigned columns)
{
    __shared__ unsigned long long arrived[stages]; // mbarriers

    const unsigned tiles_down = (rows + 63) / 64, count = (columns + 63) / 64 * tiles_down;
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < stages; ++stage)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&arrived[stage])) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll 1
        for (unsigned stage = 0; stage < stages && blockIdx.x + stage * gridDim.x < count; ++stage)
            load(in, blockIdx.x + stage * gridDim.x, tiles_down, stage, &arrived[stage]);
    }

    // Patches of 4×4 elements on diagonals, as in tma_64x64.
    const unsigned eighth = threadIdx.x % 8, diagonal = threadIdx.x / 8 % 8, quarter = threadIdx.x / 64;
    const unsigned i = quarter / 2 * 8 + eighth;              // row of patches
    const unsigned j = quarter % 2 * 8 + (eighth ^ diagonal); // column of patches
    __syncthreads();

    // A stage's mbarrier goes through a phase for each of its tiles. Their numbers
    // are even and odd in turn, and that parity is what a thread waits for.
    unsigned stage = 0, parity = 0;
    for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x) {
        for (unsigned done = 0; !done;)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(shared(&arrived[stage])), "r"(parity) : "memory");
        float4 (*const turned)[16] = tiles[stage];
        const float4 a = turned[4 * i][j], b = turned[4 * i + 1][j], c = turned[4 * i + 2][j], d = turned[4 * i + 3][j];
        __syncthreads();
        turned[4 * j + 0][i] = make_float4(a.x, b.x, c.x, d.x);
        turned[4 * j + 1][i] = make_float4(a.y, b.y, c.y, d.y);
        turned[4 * j + 2][i] = make_float4(a.z, b.z, c.z, d.z);
        turned[4 * j + 3][i] = make_float4(a.w, b.w, c.w, d.w);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();

        const unsigned last = (stage + stages - 1) % stages;
        if (threadIdx.x == 0) {
            const int x = tile / tiles_down * 64, y = tile % tiles_down * 64;
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                         :: "l"(&out), "r"(y), "r"(x), "r"(shared(turned)) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            // All stores but this one have been read out of shared memory: the
            // stage of the last one is free for the tile after next.
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            const unsigned next = tile + (stages - 1) * gridDim.x;
            if (tile != blockIdx.x && next < count)
                load(in, next, tiles_down, last, &arrived[last]);
        }
        stage = (stage + 1) % stages;
        parity ^= stage == 0;
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
