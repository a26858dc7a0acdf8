// launch: --grid 2 --block 32 --arg i32[128]=iota --arg i32=128
template <typename T> __device__ void exchange(T& a, T& b) { T t = a; a = b; b = t; }
__global__ void reverse(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) exchange(d[i], d[n - 1 - i]);
}
