// launch: --grid 4 --block 32 --arg i32[128]=iota --arg i32[1]=zero
// finds: race
__global__ void maximum(const int* in, int* m) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > *m) //!
        *m = v; //!
}
