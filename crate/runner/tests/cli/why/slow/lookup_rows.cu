// launch: --grid 8 --block 64 --arg f32[2048]=random:9 --arg f32[512]=zero --arg i32=30
// first: bank_conflict 9
__global__ void horner(const float* coeff, float* y, int n) {
    __shared__ float c[64 * 32];
    for (int k = threadIdx.x; k < 64 * 32; k += 64) c[k] = coeff[k];
    __syncthreads();
    float x = 0.01f * threadIdx.x, s = 0;
    for (int k = 0; k < n; k++)
        s = s * x + c[threadIdx.x * 32 + k];
    y[blockIdx.x * 64 + threadIdx.x] = s;
}
