// The sum of every row of a matrix.
//
// in: rows × columns, row-major; out: rows, all zero before the launch. Sums wrap at 2^32.
// Block 32×8; it covers a tile of 32 rows and 256 columns, so that several blocks add to
// one row if the matrix has more than 256 columns.

extern "C" __global__ void row_sum(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    const size_t first_row    = size_t(blockIdx.y) * 32;
    const size_t first_column = size_t(blockIdx.x) * 256;

//@ starter
    // TODO The sums are right. But a lane goes along a row of its own, so that a warp's
    // load touches 32 rows. Let a warp read 32 neighbours of one row, and find a way to add
    // up what its lanes hold.
    const size_t row = first_row + threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 0; k < 32; k++) {
        const size_t column = first_column + threadIdx.y * 32 + k;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    if (row < rows)
        atomicAdd(&out[row], sum);
//@ solution
    // A warp takes four rows of the tile, one after the other.
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }

        // Each lane adds the sum of the lane 16 further, then 8, 4, 2, 1: lane 0 has them all.
        for (unsigned distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        if (threadIdx.x == 0 && row < rows)
            atomicAdd(&out[row], sum);
    }
//@ padded_tile
    // The lanes' sums of 32 rows go into a tile, and each lane of one warp adds up a row of it.
    __shared__ unsigned tile[32][32 + 1];
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }
        tile[threadIdx.y + j][threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.y == 0 && first_row + threadIdx.x < rows) {
        unsigned sum = 0;
        for (unsigned k = 0; k < 32; k++)
            sum += tile[threadIdx.x][k];
        atomicAdd(&out[first_row + threadIdx.x], sum);
    }
//@ rotated_tile
    // As with a padded tile, but lane i begins its row at column i.
    __shared__ unsigned tile[32][32];
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }
        tile[threadIdx.y + j][threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.y == 0 && first_row + threadIdx.x < rows) {
        unsigned sum = 0;
        for (unsigned k = 0; k < 32; k++)
            sum += tile[threadIdx.x][(threadIdx.x + k) % 32];
        atomicAdd(&out[first_row + threadIdx.x], sum);
    }
//@ unpadded_tile
    __shared__ unsigned tile[32][32];
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }
        tile[threadIdx.y + j][threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.y == 0 && first_row + threadIdx.x < rows) {
        unsigned sum = 0;
        for (unsigned k = 0; k < 32; k++)
            sum += tile[threadIdx.x][k];
        atomicAdd(&out[first_row + threadIdx.x], sum);
    }
//@ every_lane_adds
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }
        if (row < rows)
            atomicAdd(&out[row], sum);
    }
//@ no_atomics
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }
        for (unsigned distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        if (threadIdx.x == 0 && row < rows)
            out[row] += sum;
    }
//@ one_step_short
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = first_row + threadIdx.y + j;
        unsigned sum = 0;
        for (unsigned k = 0; k < 256; k += 32) {
            const size_t column = first_column + threadIdx.x + k;
            if (row < rows && column < columns)
                sum += in[row * columns + column];
        }
        for (unsigned distance = 8; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        if (threadIdx.x == 0 && row < rows)
            atomicAdd(&out[row], sum);
    }
//@ end
}
