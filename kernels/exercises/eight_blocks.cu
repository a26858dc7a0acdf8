// A transpose of doubles through a padded tile.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile of
// 64 rows and 64 columns, sixteen elements a thread.

// The launch bounds let the compiler take so few registers that eight blocks of 256 threads fit: 32 a thread.
extern "C" __global__ void __launch_bounds__(256, 8)
eight_blocks(const double* __restrict__ in, double* __restrict__ out, unsigned rows, unsigned columns)
{
    const size_t row = size_t(blockIdx.y) * 64, column = size_t(blockIdx.x) * 64; // the tile's corner

//@ starter
    // TODO Right, coalesced, and free of conflicts. But 64×65 doubles are 33280 bytes, and a
    // multiprocessor has room for six such blocks. Use so little shared memory that there is room
    // for eight.
    __shared__ double tile[64][65];
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                tile[j][k] = in[(row + j) * columns + column + k];
    __syncthreads();
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (column + j < columns && row + k < rows)
                out[(column + j) * rows + row + k] = tile[k][j];
//@ solution
    // Half of the tile at a time. A row of `out` is then written in two pieces of 256 bytes.
    __shared__ double tile[32][65];
    for (unsigned half = 0; half < 64; half += 32) {
        for (unsigned j = threadIdx.y; j < 32; j += 8)
            for (unsigned k = threadIdx.x; k < 64; k += 32)
                if (row + half + j < rows && column + k < columns)
                    tile[j][k] = in[(row + half + j) * columns + column + k];
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (column + j < columns && row + half + threadIdx.x < rows)
                out[(column + j) * rows + row + half + threadIdx.x] = tile[threadIdx.x][j];
        // The next half comes to the same place.
        __syncthreads();
    }
//@ half_the_columns
    __shared__ double tile[64][33];
    for (unsigned half = 0; half < 64; half += 32) {
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (row + j < rows && column + half + threadIdx.x < columns)
                tile[j][threadIdx.x] = in[(row + j) * columns + column + half + threadIdx.x];
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 32; j += 8)
            for (unsigned k = threadIdx.x; k < 64; k += 32)
                if (column + half + j < columns && row + k < rows)
                    out[(column + half + j) * rows + row + k] = tile[k][j];
        __syncthreads();
    }
//@ swizzled
    __shared__ double tile[32][64];
    for (unsigned half = 0; half < 64; half += 32) {
        for (unsigned j = threadIdx.y; j < 32; j += 8)
            for (unsigned k = threadIdx.x; k < 64; k += 32)
                if (row + half + j < rows && column + k < columns)
                    tile[j][k ^ j] = in[(row + half + j) * columns + column + k];
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (column + j < columns && row + half + threadIdx.x < rows)
                out[(column + j) * rows + row + half + threadIdx.x] = tile[threadIdx.x][j ^ threadIdx.x];
        __syncthreads();
    }
//@ no_padding
    // 32768 bytes: one multiprocessor has room for six of these, too.
    __shared__ double tile[64][64];
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                tile[j][k ^ (j % 32)] = in[(row + j) * columns + column + k];
    __syncthreads();
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (column + j < columns && row + k < rows)
                out[(column + j) * rows + row + k] = tile[k][j ^ (k % 32)];
//@ seven_blocks
    // 29184 bytes, an eighth of all: nothing is left for the system.
    __shared__ double tile[64][57];
    for (unsigned half = 0; half < 64; half += 32) {
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (row + j < rows && column + half + threadIdx.x < columns)
                tile[j][threadIdx.x] = in[(row + j) * columns + column + half + threadIdx.x];
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 32; j += 8)
            for (unsigned k = threadIdx.x; k < 64; k += 32)
                if (column + half + j < columns && row + k < rows)
                    out[(column + half + j) * rows + row + k] = tile[k][j];
        __syncthreads();
    }
//@ unpadded_half
    __shared__ double tile[32][64];
    for (unsigned half = 0; half < 64; half += 32) {
        for (unsigned j = threadIdx.y; j < 32; j += 8)
            for (unsigned k = threadIdx.x; k < 64; k += 32)
                if (row + half + j < rows && column + k < columns)
                    tile[j][k] = in[(row + half + j) * columns + column + k];
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (column + j < columns && row + half + threadIdx.x < rows)
                out[(column + j) * rows + row + half + threadIdx.x] = tile[threadIdx.x][j];
        __syncthreads();
    }
//@ one_barrier
    // Nobody waits before the second half comes to the place of the first.
    __shared__ double tile[32][65];
    for (unsigned half = 0; half < 64; half += 32) {
        for (unsigned j = threadIdx.y; j < 32; j += 8)
            for (unsigned k = threadIdx.x; k < 64; k += 32)
                if (row + half + j < rows && column + k < columns)
                    tile[j][k] = in[(row + half + j) * columns + column + k];
        __syncthreads();
        for (unsigned j = threadIdx.y; j < 64; j += 8)
            if (column + j < columns && row + half + threadIdx.x < rows)
                out[(column + j) * rows + row + half + threadIdx.x] = tile[threadIdx.x][j];
    }
//@ as_floats
    // Half as many bytes, and half of the bits.
    __shared__ float tile[64][65];
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                tile[j][k] = float(in[(row + j) * columns + column + k]);
    __syncthreads();
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (column + j < columns && row + k < rows)
                out[(column + j) * rows + row + k] = tile[k][j];
//@ one_half
    __shared__ double tile[32][65];
    for (unsigned j = threadIdx.y; j < 32; j += 8)
        for (unsigned k = threadIdx.x; k < 64; k += 32)
            if (row + j < rows && column + k < columns)
                tile[j][k] = in[(row + j) * columns + column + k];
    __syncthreads();
    for (unsigned j = threadIdx.y; j < 64; j += 8)
        if (column + j < columns && row + threadIdx.x < rows)
            out[(column + j) * rows + row + threadIdx.x] = tile[threadIdx.x][j];
//@ end
}
