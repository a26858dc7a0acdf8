// launch: --grid 4,16 --block 32,8 --arg f32[16384]=random:4 --arg f32[16384]=zero --arg i32=128 --arg i32=128 --arg f32=0.2
__global__ void heat(const float* u, float* next, int nx, int ny, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) {
        int i = y * nx + x;
        next[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0f * u[i]);
    }
}
