// launch: --grid 2,2 --block 16,16 --arg f32[1024]=iota --arg i32=32
// finds: race
__global__ void transpose(float* a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float v = a[y * n + x]; //!
    __syncthreads();
    a[x * n + y] = v; //!
}
