// launch: --grid 1 --block 128 --arg i32[128]=iota --arg i32[128]=zero
// finds: race
__global__ void rev(const int* in, int* out) {
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x]; //!
    __threadfence_block();
    out[threadIdx.x] = s[127 - threadIdx.x]; //!
}
