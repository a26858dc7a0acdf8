// Transpose through tiles of 64×64 that the copy engine brings and takes away,
// turned where they lie: each thread holds 4×4 elements in registers meanwhile.
// Blocks that follow each other take tiles that lie below each other in `in`,
// beside each other in `out`.
//
// in: rows × columns, out: columns × rows, both row-major, as tensor maps with
// boxes of 64×64. Block 256; it covers a 64×64 tile, sixteen elements a thread.
// Tiles are counted down the columns of `in`, all in the grid's x.

// What the driver makes and the copy engine reads.
struct alignas(64) TensorMap { unsigned char bytes[128]; };

__device__ unsigned shared(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

extern "C" __global__ void __launch_bounds__(256) tma_64x64(const __grid_constant__ TensorMap in,
                                                            const __grid_constant__ TensorMap out,
                                                            unsigned rows, unsigned columns)
{
    __shared__ alignas(128) float4 tile[64][16];
    __shared__ unsigned long long arrived; // an mbarrier

    const unsigned tiles_down = (rows + 63) / 64;
    const int x = blockIdx.x / tiles_down * 64, y = blockIdx.x % tiles_down * 64;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&arrived)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(shared(&arrived)), "r"(unsigned(sizeof tile)) : "memory");
        // Where L2 is full, what was written shall leave it before what was read.
        unsigned long long policy;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
                     " [%0], [%1, {%2, %3}], [%4], %5;"
                     :: "r"(shared(tile)), "l"(&in), "r"(x), "r"(y), "r"(shared(&arrived)), "l"(policy) : "memory");
    }

    // The tile is 16×16 patches of 4×4 elements. Eight neighbouring threads take
    // patches in eight rows and eight columns of patches: whether they read rows
    // or write columns, their 16 bytes each lie in all 32 banks.
    const unsigned eighth = threadIdx.x % 8, diagonal = threadIdx.x / 8 % 8, quarter = threadIdx.x / 64;
    const unsigned i = quarter / 2 * 8 + eighth;              // row of patches
    const unsigned j = quarter % 2 * 8 + (eighth ^ diagonal); // column of patches

    __syncthreads();
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared(&arrived)) : "memory");

    const float4 a = tile[4 * i][j], b = tile[4 * i + 1][j], c = tile[4 * i + 2][j], d = tile[4 * i + 3][j];
    // Everybody has read before anybody writes.
    __syncthreads();
    tile[4 * j + 0][i] = make_float4(a.x, b.x, c.x, d.x);
    tile[4 * j + 1][i] = make_float4(a.y, b.y, c.y, d.y);
    tile[4 * j + 2][i] = make_float4(a.z, b.z, c.z, d.z);
    tile[4 * j + 3][i] = make_float4(a.w, b.w, c.w, d.w);

    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&out), "r"(y), "r"(x), "r"(shared(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
