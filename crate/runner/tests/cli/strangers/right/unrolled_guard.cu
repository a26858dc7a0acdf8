// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
__global__ void f(const int* in, int* out) {
    int s = in[threadIdx.x];
    for (int k = 4; k >= 0; --k) if (k != 0) s += 1000 / k;
    for (int k = 0; k < 3; ++k) s += k > 0 ? 100 % k : 1;
    out[threadIdx.x] = s;
}
