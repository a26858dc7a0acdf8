// launch: --grid 2 --block 64 --arg struct{f32[128]=random:1,i32=16,i32=8} --arg f32[128]=zero
// finds: out_of_bounds
struct Matrix {
    float* data; int rows, cols;
    __device__ float& at(int r, int c) const { return data[c * rows + r + rows]; } //!
};
__global__ void copy(Matrix m, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m.rows * m.cols) return;
    out[i] = m.at(i % m.rows, i / m.rows); //!
}
