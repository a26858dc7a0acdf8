// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: mask
__global__ void fromLast(const int* in, int* out) {
    int v = in[threadIdx.x];
    unsigned m = __ballot_sync(~0u, v < 20);
    if (v < 20) {
        int last = __shfl_sync(m, v, 31); //!
        out[threadIdx.x] = last;
    }
}
