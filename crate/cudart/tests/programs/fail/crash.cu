// status: 139
// remarks: the program ends by a segmentation fault (SIGSEGV)
// prints: before
#include <cstdio>

__global__ void race(int *values) {
    values[0] = threadIdx.x; // finds: race
}

int main() {
    int *values;
    cudaMalloc(&values, 4);
    race<<<1, 64>>>(values);
    cudaDeviceSynchronize();
    printf("before\n");
    fflush(stdout);
    *(volatile int *)8 = 1;
    return 0;
}
