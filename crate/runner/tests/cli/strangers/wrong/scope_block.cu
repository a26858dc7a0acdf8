// launch: --grid 8 --block 32 --arg i32[256]=iota --arg i32[1]=zero
// finds: race
__global__ void count(const int* in, int* n) {
    if (in[blockIdx.x * 32 + threadIdx.x] % 3 == 0)
        atomicAdd_block(n, 1); //!
}
