// launch: --grid 1 --block 48 --arg f32[1536]=random:1 --arg f32[32]=random:2 --arg f32[48]=zero --arg i32=48 --arg i32=32
// finds: out_of_bounds
// y = A x, A has rows x cols, row major
__global__ void gemv(const float* A, const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.f;
    for (int c = 0; c < cols; ++c)
        sum += A[r * rows + c] * x[c]; //!
    y[r] = sum;
}
