// A copy whose stores are bulk copies: shared memory is filled by the threads, and emptied
// by the bulk copy engine.
//
// in and out: rows × columns, row-major, columns a multiple of 4. Block 32×8; it covers a
// tile of 8 rows and 128 columns, one row for each warp.

// Starts a bulk copy of so many bytes (a multiple of 16) from shared to global memory.
__device__ void start_bulk_store(float* to, const float* from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::
                 "l"(__cvta_generic_to_global(to)), "r"(unsigned(__cvta_generic_to_shared(from))), "r"(bytes)
                 : "memory");
}

// Waits until the bulk copies of this thread have read what they copy.
__device__ void wait_for_bulk_stores()
{
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Orders what this thread has stored to shared memory before what bulk copies read of it.
__device__ void fence_proxy()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

extern "C" __global__ void proxy_fence(const float* __restrict__ in, float* __restrict__ out,
                                       unsigned rows, unsigned columns)
{
    __shared__ alignas(128) float tile[8][128];

    const unsigned lane = threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 8 + threadIdx.y;
    const size_t first  = size_t(blockIdx.x) * 128; // the first column of the tile
    float* mine         = tile[threadIdx.y];
    const unsigned width = columns - first < 128 ? unsigned(columns - first) : 128;

//@ before_filling
    fence_proxy();
//@ solution
//@ starter
//@ end
    for (unsigned j = 0; j < 128; j += 32)
        if (row < rows && lane + j < width)
            mine[lane + j] = in[row * columns + first + lane + j];

//@ starter
    // TODO The lanes of the warp have filled their row, and wait for each other. Will the
    // bulk copy engine see what they have stored?
    __syncwarp();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ solution
    // Each lane orders its own stores before the bulk copy; then the lanes wait for each other.
    fence_proxy();
    __syncwarp();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ by_the_issuer
    // The lane that starts the copy orders what it has been told of by the barrier.
    __syncwarp();
    if (row < rows && lane == 0) {
        fence_proxy();
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ before_filling
    __syncwarp();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ after_the_copy
    __syncwarp();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        fence_proxy();
        wait_for_bulk_stores();
    }
//@ memory_fence
    __threadfence_block();
    __syncwarp();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ barrier
    __syncthreads();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ no_wait_for_lanes
    fence_proxy();
    if (row < rows && lane == 0) {
        start_bulk_store(out + row * columns + first, mine, 4 * width);
        wait_for_bulk_stores();
    }
//@ end
}
