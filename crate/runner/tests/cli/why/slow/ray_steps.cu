// launch: --grid 16 --block 128 --arg f32[2048]=random:8 --arg i32[2048]=zero --arg f32=0.02
// first: divergence 10
__global__ void march(const float* distance, int* steps, float h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = distance[i] * distance[i];
    int n = 0;
    do {
        left -= h * (1.0f - left * 0.5f);
        n++;
    } while (left > 0.0f && n < 500);
    steps[i] = n;
}
