// launch: --grid 2 --block 1 --arg i32[1]=zero --arg i32[1]=zero --arg i32[1]=zero
// finds: race
__global__ void h(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) { *data = 42; *flag = 1; } //!
    else { while (*flag == 0) ; __threadfence(); *out = *data; } //!
}
