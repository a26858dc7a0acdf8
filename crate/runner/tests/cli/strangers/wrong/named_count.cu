// launch: --grid 1 --block 96 --arg i32[32]=iota --arg i32[32]=zero
// finds: barrier_divergence,endless_loop
// one warp produces, one consumes, one does something else
__global__ void pc(const int* in, int* out) {
    __shared__ int s[32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (w == 0) {
        s[l] = in[l];
        asm volatile("bar.arrive 1, 96;" ::: "memory"); //!
    } else if (w == 1) {
        asm volatile("bar.sync 1, 96;" ::: "memory"); //!
        out[l] = s[31 - l];
    }
}
