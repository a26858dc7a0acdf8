// A tile of one of many matrices, row by row in branches: what the elements' numbers have in common is added up once, and with it
// how far the matrix lies behind the first, unless somebody else uses the pointer, the number or its product with a size.
//# block 64
template <class T>
__device__ void turn(const T* from, T* to, unsigned rows, unsigned columns, unsigned row, unsigned column, T* tile)
{
    const unsigned x = threadIdx.x % 8, y = threadIdx.x / 8;
#pragma unroll
    for (unsigned j = 0; j < 24; j += 8)
        if (row + y + j < rows && column + x < columns)
            tile[(y + j) * 9 + x] = from[size_t(row + y + j) * columns + column + x];
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < 24; j += 8)
        if (row + y + j < rows && column + x < columns)
            to[size_t(row + y + j) * columns + column + x] += tile[x * 9 + (y + j) % 8];
    __syncthreads();
}

extern "C" __global__ void test(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    __shared__ float tile[24 * 9 + 8];
    for (unsigned i = threadIdx.x; i < 24 * 9 + 8; i += 64)
        tile[i] = i;
    __syncthreads();
    const unsigned rows = 13, columns = 11 + items % 2;
    const size_t size = size_t(rows) * columns;
    const unsigned x = threadIdx.x % 8, y = threadIdx.x / 8;
    for (size_t matrix = blockIdx.x; (matrix + 1) * size <= items; matrix += gridDim.x) {
        turn(in + matrix * size, out + matrix * size, rows, columns, 0, 8, tile);
        // The number of an element is that of another one's as well, and the first pointer is read itself.
        const float* here = in + matrix * size;
        float sum = here[threadIdx.x % 3];
#pragma unroll
        for (unsigned j = 0; j < 16; j += 8)
            if (y + j < rows && x + 2 < columns) {
                const size_t at = size_t(y + j) * columns + x + 2;
                sum += here[at] - in[at];
            }
        // Of other sizes, behind pointers that are not the first either.
        const short* halves = reinterpret_cast<const short*>(in) + matrix * size + 1;
        const float2* pairs = reinterpret_cast<const float2*>(in + matrix / 2 * 4);
#pragma unroll
        for (unsigned j = 0; j < 16; j += 8)
            if (y + j < rows && x < columns - 2)
                sum += halves[size_t(y + j) * columns + x + columns / 3];
#pragma unroll
        for (unsigned j = 0; j < 4; j += 2)
            if (y + j < rows / 4 && x < columns / 4)
                sum += pairs[size_t(y + j) * (columns / 4) + x + y % 2].y;
        // One number for two pointers.
        const float* from = in + (matrix + 1) % 3 * size;
        float* to = out + matrix * size;
#pragma unroll
        for (unsigned j = 0; j < 16; j += 8)
            if (y + j < rows - 3 && x < columns - 4)
                to[size_t(y + j + 1) * columns + x + rows / 5] = from[size_t(y + j + 1) * columns + x + rows / 5];
        const float* begin = in + matrix * size;
#pragma unroll
        for (unsigned j = 0; j < 16; j += 8)
            if (y + j < rows - 2 && x < columns - 3)
                to[size_t(y + j + 2) * columns + x + columns / 4] -= begin[size_t(y + j + 2) * columns + x + columns / 4];
        if (threadIdx.x < rows)
            out[matrix * size + threadIdx.x] = sum;
        __syncthreads();
    }
}
