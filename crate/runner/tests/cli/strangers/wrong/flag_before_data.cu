// launch: --grid 2 --block 1 --arg i32[1]=zero --arg i32[1]=zero --arg i32[1]=zero
// finds: race
__global__ void handover(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        atomicExch(flag, 1);
        __threadfence();
        *data = 7; //!
    } else {
        while (atomicAdd(flag, 0) == 0) ;
        __threadfence();
        *out = *data; //!
    }
}
