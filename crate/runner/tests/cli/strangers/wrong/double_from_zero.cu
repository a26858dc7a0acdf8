// launch: --grid 1 --block 32 --arg i32[32]=zero --arg i32=100
// finds: endless_loop
__global__ void ranks(int* out, int n) {
    int steps = 0;
    for (int d = threadIdx.x; d < n; d *= 2) ++steps; //!
    out[threadIdx.x] = steps;
}
