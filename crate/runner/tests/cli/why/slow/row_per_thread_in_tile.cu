// launch: --grid 8 --block 32 --arg f32[8192]=random:3 --arg f32[256]=zero
// first: bank_conflict 9
__global__ void normalize(const float* in, float* norm) {
    __shared__ float data[32][32];
    for (int i = 0; i < 32; ++i) data[i][threadIdx.x] = in[(blockIdx.x * 32 + i) * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int j = 0; j < 32; ++j) {
        float value = data[threadIdx.x][j];
        sum += value * value;
    }
    norm[blockIdx.x * 32 + threadIdx.x] = sqrtf(sum);
}
