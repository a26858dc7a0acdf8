// launch: --grid 2 --block 32 --arg i32[50]=iota --arg i32[64]=zero --arg i32=50 --arg i32=0
__global__ void guarded(const int* a, int* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int q = d ? a[i % n] / d : 0;
    int m = d != 0 && i % d == 0 ? 1 : 2;
    int left = i > 0 && i <= n && a[i - 1] > 3 ? 1 : 0;
    int v = i < n ? a[i] : -1;
    out[i] = q + m + left + v;
}
