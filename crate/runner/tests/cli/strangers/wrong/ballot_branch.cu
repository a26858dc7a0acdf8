// launch: --grid 1 --block 64 --arg i32[64]=random:7 --arg i32[64]=zero
// finds: mask
__global__ void count(const int* in, int* out) {
    int v = in[threadIdx.x], c = 0;
    if (v > 0) {
        unsigned m = __ballot_sync(0xffffffffu, v & 1); //!
        c = __popc(m);
    }
    __syncthreads();
    out[threadIdx.x] = c;
}
