// The sum of every column of a matrix.
//
// in: rows × columns, row-major; out: columns, all zero before the launch. Sums wrap at
// 2^32. Block 32×8; it covers a tile of 256 rows and 32 columns, so that several blocks
// add to one column if the matrix has more than 256 rows.

extern "C" __global__ void column_sum(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                      unsigned rows, unsigned columns)
{
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.x;
    const size_t first  = size_t(blockIdx.y) * 256; // the first row of the tile

//@ starter
    // TODO The sums are right, and the reads coalesced. But every element is added in
    // global memory by itself. Let each thread add up its own 32 elements in a register,
    // the block its 8 threads of a column in shared memory, and add to `out` once.
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            atomicAdd(&out[column], in[row * columns + column]);
    }
//@ solution
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }

    // A warp puts its 32 sums into one row of `partial`, 32 different banks.
    __shared__ unsigned partial[8][32];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();

    // The first warp adds up the 8 rows; other blocks may add to the same columns.
    if (threadIdx.y == 0 && column < columns) {
        for (unsigned k = 1; k < 8; k++)
            sum += partial[k][threadIdx.x];
        atomicAdd(&out[column], sum);
    }
//@ halving
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    // The upper half is added to the lower half, three times.
    __shared__ unsigned partial[8][32];
    partial[threadIdx.y][threadIdx.x] = sum;
    for (unsigned half = 4; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.y < half)
            partial[threadIdx.y][threadIdx.x] += partial[threadIdx.y + half][threadIdx.x];
    }
    if (threadIdx.y == 0 && column < columns)
        atomicAdd(&out[column], partial[0][threadIdx.x]);
//@ shared_atomics
    __shared__ unsigned total[32];
    if (threadIdx.y == 0)
        total[threadIdx.x] = 0;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    atomicAdd(&total[threadIdx.x], sum);
    __syncthreads();
    if (threadIdx.y == 0 && column < columns)
        atomicAdd(&out[column], total[threadIdx.x]);
//@ each_warp_adds
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    if (column < columns)
        atomicAdd(&out[column], sum);
//@ no_barrier
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    __shared__ unsigned partial[8][32];
    partial[threadIdx.y][threadIdx.x] = sum;
    if (threadIdx.y == 0 && column < columns) {
        for (unsigned k = 1; k < 8; k++)
            sum += partial[k][threadIdx.x];
        atomicAdd(&out[column], sum);
    }
//@ one_bank
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    __shared__ unsigned partial[32][8];
    partial[threadIdx.x][threadIdx.y] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < columns) {
        for (unsigned k = 1; k < 8; k++)
            sum += partial[threadIdx.x][k];
        atomicAdd(&out[column], sum);
    }
//@ no_atomics
    unsigned sum = 0;
    for (unsigned j = 0; j < 256; j += 8) {
        const size_t row = first + threadIdx.y + j;
        if (row < rows && column < columns)
            sum += in[row * columns + column];
    }
    __shared__ unsigned partial[8][32];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < columns) {
        for (unsigned k = 1; k < 8; k++)
            sum += partial[k][threadIdx.x];
        out[column] = sum;
    }
//@ end
}
