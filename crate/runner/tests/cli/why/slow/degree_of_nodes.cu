// launch: --grid 16 --block 128 --arg u32[2048]=random:4 --arg u32[2048]=random:5 --arg i32[32]=zero
// first: atomic 7
__global__ void degrees(const unsigned* from, const unsigned* to, int* degree) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = from[e] % 32, b = to[e] % 32;
    atomicAdd(&degree[a], 1);
    atomicAdd(&degree[b], 1);
}
