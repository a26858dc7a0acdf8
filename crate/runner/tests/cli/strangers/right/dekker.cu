// launch: --grid 2 --block 1 --arg i32[2]=zero --arg i32[2]=zero
__global__ void dekker(volatile int* flag, int* saw) {
    int me = blockIdx.x;
    flag[me] = 1;
    __threadfence();
    saw[me] = flag[1 - me];
}
