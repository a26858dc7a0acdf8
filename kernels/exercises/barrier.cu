// A transpose through a tile in shared memory, one element a thread.
//
// in: rows × columns, out: columns × rows, both row-major. Block 16×16; it covers a tile
// of 16×16 elements.

extern "C" __global__ void barrier(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    __shared__ float tile[16][16];

    // Read the tile as it lies in `in`.
    const size_t column = size_t(blockIdx.x) * 16 + threadIdx.x;
    const size_t row    = size_t(blockIdx.y) * 16 + threadIdx.y;
//@ starter
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    // TODO The element that a thread takes out of the tile below was put in by another
    // thread. What makes sure that it is there?
//@ solution
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    // Wait until the whole block has filled the tile. Threads without an element wait too.
    __syncthreads();
//@ counting
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    __syncthreads_count(1);
//@ before_filling
    __syncthreads();
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
//@ warp_only
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    __syncwarp();
//@ fence
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];

    __threadfence_block();
//@ inside_if
    if (row < rows && column < columns) {
        tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
        __syncthreads();
    }
//@ end

    // Write it as it lies in `out`: the tile's coordinates and the element's change places.
    const size_t out_column = size_t(blockIdx.y) * 16 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 16 + threadIdx.y;
    if (out_row < columns && out_column < rows)
        out[out_row * rows + out_column] = tile[threadIdx.x][threadIdx.y];
}
