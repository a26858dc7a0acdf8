// Transpose through a tile that the copy engine brings and takes away: bulk
// tensor copies, one tile a block.
//
// in: rows × columns, out: columns × rows, both row-major, as tensor maps with
// boxes of 32×32. The maps know the shape, so that `rows` and `columns` are not
// needed. Block 32×8; it covers a 32×32 tile, four elements a thread.

// What the driver makes and the copy engine reads.
struct alignas(64) TensorMap { unsigned char bytes[128]; };

__device__ unsigned shared(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

extern "C" __global__ void __launch_bounds__(256) tma(const __grid_constant__ TensorMap in,
                                                      const __grid_constant__ TensorMap out,
                                                      unsigned rows, unsigned columns)
{
    __shared__ alignas(128) float from[32][32];
    __shared__ alignas(128) float to[32][32];
    __shared__ unsigned long long arrived; // an mbarrier

    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    const bool first = threadIdx.x == 0 && threadIdx.y == 0;
    if (first) {
        // The mbarrier's phase ends when one thread has arrived at it and as many
        // bytes have come as that thread says. The fence shows it to the copy engine.
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&arrived)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(shared(&arrived)), "r"(unsigned(sizeof from)) : "memory");
        // One thread starts the load of the whole tile. What lies outside the
        // matrix comes as zeros.
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(shared(from)), "l"(&in), "r"(x), "r"(y), "r"(shared(&arrived)) : "memory");
    }
    // Nobody may wait at a barrier that has not been made yet.
    __syncthreads();
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared(&arrived)) : "memory");

    // A warp reads a column and writes a row.
    for (unsigned j = 0; j < 32; j += 8)
        to[threadIdx.y + j][threadIdx.x] = from[threadIdx.x][threadIdx.y + j];

    // Each thread shows the copy engine what it has written, and only then one of
    // them starts the store. What lies outside the matrix is not written.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (first) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&out), "r"(y), "r"(x), "r"(shared(to)) : "memory");
        // The block's shared memory has to last until it has been read.
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
