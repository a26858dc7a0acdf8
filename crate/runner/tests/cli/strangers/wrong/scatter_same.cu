// launch: --grid 2 --block 32 --arg i32[64]=iota --arg i32[16]=zero
// finds: race
__global__ void scatter(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * 7 % 16] = in[i]; //!
}
