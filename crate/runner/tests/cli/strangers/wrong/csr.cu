// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[64]=zero --arg f32[64]=random:1 --arg f32[32]=random:2 --arg f32[32]=zero --arg i32=32
// finds: out_of_bounds
struct Csr { const int* start; const int* col; const float* val; };
__global__ void spmv(const int* start, const int* col, const float* val, const float* x, float* y, int rows) {
    Csr m = {start, col, val};
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0.f;
        for (int j = m.start[r]; j < m.start[r + 1]; ++j) //!
            s += m.val[j] * x[m.col[j]];
        y[r] = s;
    }
}
