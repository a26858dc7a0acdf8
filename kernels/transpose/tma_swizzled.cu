// Transpose through tiles that the copy engine brings and takes away. It takes
// them in the order of its swizzle over 128 bytes, so that a thread puts down
// four elements at once without a bank conflict.
//
// in: rows × columns, out: columns × rows, both row-major, as tensor maps with
// boxes of 32×32, that of `out` swizzled over 128 bytes. Block 32×8; it covers a
// 32×32 tile, four elements a thread.

// What the driver makes and the copy engine reads.
struct alignas(64) TensorMap { unsigned char bytes[128]; };

__device__ unsigned shared(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

extern "C" __global__ void __launch_bounds__(256) tma_swizzled(const __grid_constant__ TensorMap in,
                                                               const __grid_constant__ TensorMap out,
                                                               unsigned rows, unsigned columns)
{
    // The swizzle goes by the bits of the address: a tile begins at a multiple of
    // eight rows of 128 bytes.
    __shared__ alignas(128) float from[32][32];
    __shared__ alignas(1024) float4 to[32][8];
    __shared__ unsigned long long arrived; // an mbarrier

    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    const bool first = threadIdx.x == 0 && threadIdx.y == 0;
    if (first) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&arrived)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(shared(&arrived)), "r"(unsigned(sizeof from)) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(shared(from)), "l"(&in), "r"(x), "r"(y), "r"(shared(&arrived)) : "memory");
    }
    __syncthreads();
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared(&arrived)) : "memory");

    // Four loads, each of a whole row by the warp; one store of 16 bytes. Of a
    // row of `to`, piece p lies in the place of piece p ^ (row % 8): eight lanes,
    // in eight rows of `to`, meet all 32 banks.
    const unsigned column = threadIdx.x, piece = threadIdx.y;
    to[column][piece ^ (column & 7)] = make_float4(from[4 * piece + 0][column], from[4 * piece + 1][column],
                                                   from[4 * piece + 2][column], from[4 * piece + 3][column]);

    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (first) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&out), "r"(y), "r"(x), "r"(shared(to)) : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
