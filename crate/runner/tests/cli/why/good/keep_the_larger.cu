// launch: --grid 16 --block 256 --arg i32[4096]=random:8 --arg i32[4096]=random:9
__global__ void larger(const int* a, int* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] > b[i]) b[i] = a[i];
}
