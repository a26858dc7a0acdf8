// launch: --grid 4,4,4 --block 8,8,8 --arg f32[32768]=random:3 --arg f32[32768]=zero --arg i32=32
// first: stride 8
#define IDX(i, j, k) (((i) * n + (j)) * n + (k))
__global__ void relax(const float* a, float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    b[IDX(i, j, k)] = 0.25f * a[IDX(i, j, k)];
}
