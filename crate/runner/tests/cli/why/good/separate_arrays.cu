// launch: --grid 16 --block 256 --arg f32[4096]=random:1 --arg f32[4096]=random:2 --arg f32[4096]=random:3 --arg f32[4096]=random:4 --arg f32=0.1 --arg i32=4096
__global__ void move(float* x, float* y, const float* vx, const float* vy, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += vx[i] * dt;
        y[i] += vy[i] * dt;
    }
}
