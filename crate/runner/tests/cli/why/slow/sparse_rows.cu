// launch: --grid 2 --block 64 --arg i32[129]=iota --arg u32[8192]=random:8 --arg f32[8192]=random:9 --arg f32[1024]=random:1 --arg f32[128]=zero --arg i32=128
// first: stride 9
__global__ void spmv(const int* rowPtr, const unsigned* col, const float* val, const float* x, float* y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float sum = 0.0f;
        int begin = rowPtr[r] * 40, end = rowPtr[r + 1] * 40;
        for (int k = begin; k < end; k++)
            sum += val[k] * x[col[k] % 1024];
        y[r] = sum;
    }
}
