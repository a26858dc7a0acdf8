// launch: --grid 2 --block 1 --arg i32[3]=zero --arg i32[1]=zero
__global__ void peterson(volatile int* m, int* n) {
    int me = blockIdx.x, other = 1 - me;
    for (int k = 0; k < 5; ++k) {
        m[me] = 1;
        __threadfence();
        m[2] = other;
        __threadfence();
        while (m[other] == 1 && m[2] == other) ;
        __threadfence();
        *n = *n + 1;
        __threadfence();
        m[me] = 0;
    }
}
