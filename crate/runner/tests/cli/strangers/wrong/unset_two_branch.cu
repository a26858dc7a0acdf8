// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: uninitialized
__global__ void f(const int* a, int* o) {
    int t = threadIdx.x, v;
    if (a[t] < 10) { o[t] = 1; v = a[t] * 7; __syncwarp(__activemask()); }
    else if (a[t] < 20) { o[t] = 2; v = a[t] * 5; }
    o[t] += v; //!
}
