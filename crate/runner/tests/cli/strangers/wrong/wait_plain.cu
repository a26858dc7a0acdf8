// launch: --grid 1 --block 64 --arg i32[1]=zero --arg i32[64]=zero
// finds: endless_loop,race
__global__ void wait(int* ready, int* out) {
    if (threadIdx.x < 32) {
        while (*ready == 0) ; //!
        out[threadIdx.x] = 1;
    } else {
        out[threadIdx.x] = 2;
    }
}
