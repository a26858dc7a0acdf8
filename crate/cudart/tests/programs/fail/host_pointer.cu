// prints: cudaErrorIllegalAddress
// prints: 0
#include <cstdio>

__global__ void twice(int *values, int n) {
    int i = threadIdx.x;
    if (i < n) values[i] *= 2; // finds: invalid_address
}

int main() {
    int *values = new int[32]();
    twice<<<1, 32>>>(values, 32);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d\n", values[3]);
    delete[] values;
    return 0;
}
