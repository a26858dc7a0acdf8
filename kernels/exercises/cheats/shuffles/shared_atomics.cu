// turns the tile in shared memory by atomics only, so that there is neither a load nor a store.
extern "C" __global__ void shuffles(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ float tile[32][33];
    const unsigned lane = threadIdx.x;
    for (unsigned i = 0; i < 32; i++) {
        const size_t row = size_t(blockIdx.y) * 32 + i, column = size_t(blockIdx.x) * 32 + lane;
        atomicExch(&tile[i][lane], row < rows && column < columns ? in[row * columns + column] : 0.0f);
    }
    __syncwarp();
    for (unsigned i = 0; i < 32; i++) {
        const size_t row = size_t(blockIdx.x) * 32 + i, column = size_t(blockIdx.y) * 32 + lane;
        const float value = atomicExch(&tile[lane][i], 0.0f);
        if (row < columns && column < rows)
            out[row * rows + column] = value;
    }
}
