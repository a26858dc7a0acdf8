// launch: --grid 2 --block 1 --arg i32[1]=zero --arg i32[2]=zero
__global__ void bounded(volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        int k = 0;
        while (*flag == 0 && k < 1000) ++k;
        out[0] = k <= 1000;
    } else {
        for (int i = 0; i < 100; ++i) out[1] += i;
        *flag = 1;
    }
}
