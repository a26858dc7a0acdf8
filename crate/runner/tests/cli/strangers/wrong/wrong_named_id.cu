// launch: --grid 1 --block 64 --arg i32[32]=iota --arg i32[32]=zero
// finds: barrier_divergence,endless_loop
__global__ void pc(const int* in, int* out) {
    __shared__ int s[32];
    int l = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        s[l] = in[l];
        asm volatile("bar.arrive 1, 64;" ::: "memory"); //!
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory"); //!
        out[l] = s[31 - l];
    }
}
