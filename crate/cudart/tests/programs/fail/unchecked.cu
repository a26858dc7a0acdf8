// prints: 0
// remarks: never asked for
#include <cstdio>

__global__ void one(int *value) { *value = 1; }

int main() {
    int *value, host = 0;
    cudaMallocManaged(&value, sizeof host);
    *value = 0;
    one<<<0, 32>>>(value); // finds: limit
    cudaDeviceSynchronize();
    printf("%d\n", *value);
    cudaFree(value);
    return 0;
}
