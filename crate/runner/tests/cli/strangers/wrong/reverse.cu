// launch: --grid 1 --block 64 --arg i32[64]=iota --arg i32=64
// finds: out_of_bounds
__global__ void reverse(int* d, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[n - t]; //!
}
