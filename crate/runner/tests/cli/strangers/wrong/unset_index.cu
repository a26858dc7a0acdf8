// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: uninitialized
__global__ void f(const int* a, int* o) {
    int best, m = -1;
    for (int i = 0; i < 4; ++i) { int v = a[(threadIdx.x + i) % 32] - 1000; if (v > m) { m = v; best = i; } }
    o[threadIdx.x] = best; //!
}
