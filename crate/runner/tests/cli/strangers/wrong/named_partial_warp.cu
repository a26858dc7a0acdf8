// launch: --grid 1 --block 64 --arg i32[48]=iota --arg i32[48]=zero
// finds: barrier_divergence
__global__ void part(const int* in, int* out) {
    __shared__ int s[48];
    int t = threadIdx.x;
    if (t < 48) {
        s[t] = in[t];
        asm volatile("bar.sync 1, 48;" ::: "memory"); //!
        out[t] = s[47 - t];
    }
}
