// prints: before
// status: 139
#include <cstdio>

__global__ void one(int *value) { *value = 1; }

int main() {
    int *value;
    cudaMalloc(&value, sizeof(int));
    one<<<1, 1>>>(value);
    cudaDeviceSynchronize();
    printf("before\n");
    fflush(stdout);
    printf("%d\n", *value); // finds: invalid_address
    return 0;
}
