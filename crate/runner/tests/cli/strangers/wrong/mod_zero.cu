// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero --arg i32=0
// finds: division
__global__ void wrap(const int* in, int* out, int period) {
    out[threadIdx.x] = in[(threadIdx.x + 1) % period % 32]; //!
}
