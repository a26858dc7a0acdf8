// launch: --grid 1 --block 64 --arg i32[64]=random:1 --arg i32[8]=zero --arg i32=50
__global__ void bins(const int* in, int* out, int n) {
    int i = threadIdx.x;
    unsigned active = __ballot_sync(~0u, i < n);
    if (i < n) {
        int k = in[i] & 7;
        unsigned peers = __match_any_sync(active, k);
        if ((i & 31) == __ffs(peers) - 1) atomicAdd(&out[k], __popc(peers));
    }
}
