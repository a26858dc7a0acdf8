// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: uninitialized
__global__ void f(const int* a, int* o) {
    int found;
    for (int i = 0; i < 32; ++i) if (a[i] == (int)threadIdx.x * 2) found = i;
    o[threadIdx.x] = found; //!
}
