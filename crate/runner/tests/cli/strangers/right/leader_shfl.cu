// launch: --grid 1 --block 64 --arg i32[1]=zero --arg i32[64]=zero
__global__ void alloc(int* top, int* out) {
    unsigned m = __ballot_sync(~0u, threadIdx.x % 3 == 0);
    if (threadIdx.x % 3 == 0) {
        int lane = threadIdx.x & 31, leader = __ffs(m) - 1, base;
        if (lane == leader) base = atomicAdd(top, __popc(m));
        base = __shfl_sync(m, base, leader);
        out[base + __popc(m & ((1u << lane) - 1))] = threadIdx.x + 1;
    }
}
