// A copy of a matrix, four elements a thread.
//
// in and out: rows × columns, row-major. Block 32×8; it covers a tile of 8 rows and
// 128 columns. A warp is the 32 threads with the same threadIdx.y: it copies 128 elements
// of one row, in four steps.

extern "C" __global__ void copy(const float* __restrict__ in, float* __restrict__ out,
                                unsigned rows, unsigned columns)
{
    const size_t row   = size_t(blockIdx.y) * 8 + threadIdx.y;
    const size_t first = size_t(blockIdx.x) * 128; // the first column of the tile

//@ starter
    // TODO Every element is copied, but each step of a warp touches four times the sectors
    // that it needs: from lane to lane the column grows by 4. Choose the columns of a
    // step so that neighbouring lanes take neighbouring elements.
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 4 * threadIdx.x + j;
        if (row < rows && column < columns)
            out[row * columns + column] = in[row * columns + column];
    }
//@ solution
    // A step takes 32 neighbouring columns, 128 bytes in one piece.
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 32 * j + threadIdx.x;
        if (row < rows && column < columns)
            out[row * columns + column] = in[row * columns + column];
    }
//@ wide
    // 16 bytes a lane where every row begins at a multiple of 16 bytes.
    const size_t piece = first + 4 * threadIdx.x;
    if (columns % 4 == 0) {
        if (row < rows && piece < columns)
            *reinterpret_cast<float4*>(out + row * columns + piece) =
                *reinterpret_cast<const float4*>(in + row * columns + piece);
        return;
    }
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 32 * j + threadIdx.x;
        if (row < rows && column < columns)
            out[row * columns + column] = in[row * columns + column];
    }
//@ loads_first
    // All four loads are under way before the first store.
    float four[4];
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
        if (row < rows && first + 32 * j + threadIdx.x < columns)
            four[j] = in[row * columns + first + 32 * j + threadIdx.x];
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
        if (row < rows && first + 32 * j + threadIdx.x < columns)
            out[row * columns + first + 32 * j + threadIdx.x] = four[j];
//@ down_columns
    // Lanes go down a column: 8 rows, four columns.
    const unsigned t = threadIdx.y * 32 + threadIdx.x;
    const size_t down = size_t(blockIdx.y) * 8 + t % 8;
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 32 * j + t / 8;
        if (down < rows && column < columns)
            out[down * columns + column] = in[down * columns + column];
    }
//@ no_guard
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 32 * j + threadIdx.x;
        out[row * columns + column] = in[row * columns + column];
    }
//@ one_step
    const size_t column = first + threadIdx.x;
    if (row < rows && column < columns)
        out[row * columns + column] = in[row * columns + column];
//@ shown_only
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 32 * j + threadIdx.x;
        if (row < rows && column < 160)
            out[row * 160 + column] = in[row * 160 + column];
    }
//@ wide_no_guard
    if (columns % 4 == 0) {
        if (row < rows && (first + 4 * threadIdx.x < columns || columns % 64 == 0))
            *reinterpret_cast<float4*>(out + row * columns + first + 4 * threadIdx.x) =
                *reinterpret_cast<const float4*>(in + row * columns + first + 4 * threadIdx.x);
        return;
    }
    for (unsigned j = 0; j < 4; j++) {
        const size_t column = first + 32 * j + threadIdx.x;
        if (row < rows && column < columns)
            out[row * columns + column] = in[row * columns + column];
    }
//@ nothing
//@ end
}
