// launch: --grid 1 --block 128 --arg i32[64]=iota --arg i32[64]=zero
__global__ void firstTwoWarps(const int* in, int* out) {
    __shared__ int s[64];
    if (threadIdx.x >= 64) return;
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[threadIdx.x] = s[63 - threadIdx.x];
}
