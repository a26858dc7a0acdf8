// launch: --grid 1 --block 32 --arg i32[32]=random:1 --arg i32[4]=zero
// finds: mask
__global__ void aggregate(const int* in, int* out) {
    int k = in[threadIdx.x] & 3;
    if (k != 0) {
        unsigned peers = __match_any_sync(0xffffffff, k); //!
        if ((int)(threadIdx.x) == __ffs(peers) - 1) atomicAdd(&out[k], __popc(peers));
    }
    __syncwarp();
    if (threadIdx.x == 0) out[0] = 32 - out[1] - out[2] - out[3];
}
