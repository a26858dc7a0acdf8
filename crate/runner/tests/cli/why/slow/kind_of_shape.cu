// launch: --grid 16 --block 128 --arg u8[2048]=random:8 --arg f32[2048]=random:9 --arg f32[2048]=zero
// first: divergence 10
__device__ float circle(float r) { float s = 0; for (int k = 1; k < 30; ++k) s += r / (k * k); return s * r; }
__device__ float square(float r) { float s = r; for (int k = 1; k < 30; ++k) s = 0.5f * (s + r / s); return s; }
__device__ float star(float r) { float s = 0; for (int k = 1; k < 30; ++k) s = s * r + 0.1f * k; return s; }
__global__ void areas(const unsigned char* kind, const float* size, float* area) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = kind[i] % 3;
    if (k == 0) area[i] = circle(size[i]);
    else if (k == 1) area[i] = square(size[i]);
    else area[i] = star(size[i]);
}
