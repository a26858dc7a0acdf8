// launch: --grid 16 --block 256 --arg i32[4096]=random:4 --arg i32[4096]=zero --arg i32[1]=zero
__global__ void keepEven(const int* in, int* out, int* size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    bool keep = v % 2 == 0;
    unsigned votes = __ballot_sync(~0u, keep);
    int lane = threadIdx.x % 32, base = 0;
    if (lane == 0) base = atomicAdd(size, __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = v;
}
