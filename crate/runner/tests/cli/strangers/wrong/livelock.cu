// launch: --grid 1 --block 32 --arg i32[1]=zero --arg i32[32]=zero
// finds: endless_loop
__global__ void f(int* turn, int* out) {
    int n = 0;
    while (atomicAdd(turn, 1) % 64 != 64) ++n; //!
    out[threadIdx.x] = n;
}
