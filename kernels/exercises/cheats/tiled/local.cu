// copies through an array of its own that is indexed at run time, one tile for each warp's first lanes.
extern "C" __global__ void tiled(const float* in, float* out, unsigned rows, unsigned columns)
{
    float mine[32];
    const size_t row    = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t column = size_t(blockIdx.x) * 32 + threadIdx.y * 4;
    for (unsigned j = 0; j < 4; j++)
        if (row < rows && column + j < columns)
            mine[(j + rows) % 32] = in[row * columns + column + j];
    for (unsigned j = 0; j < 4; j++)
        if (row < rows && column + j < columns)
            out[(column + j) * rows + row] = mine[(j + rows) % 32];
}
