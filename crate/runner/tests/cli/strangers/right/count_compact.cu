// launch: --grid 1 --block 64 --arg i32[64]=random:8 --arg i32[64]=zero --arg i32[1]=zero
__global__ void compact(const int* in, int* out, int* n) {
    __shared__ int base[2];
    int v = in[threadIdx.x], lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    bool keep = v > 0;
    unsigned m = __ballot_sync(~0u, keep);
    if (lane == 0) base[w] = __popc(m);
    int total = __syncthreads_count(keep);
    int off = (w ? base[0] : 0) + __popc(m & ((1u << lane) - 1));
    if (keep) out[off] = v;
    if (threadIdx.x == 0) *n = total;
}
