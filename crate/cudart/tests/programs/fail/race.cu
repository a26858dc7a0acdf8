// prints: done
#include <cstdio>

__global__ void reverse(int *values) {
    __shared__ int tile[128];
    tile[threadIdx.x] = values[threadIdx.x];
    values[threadIdx.x] = tile[127 - threadIdx.x]; // finds: race
}

int main() {
    int *values;
    cudaMalloc(&values, 128 * sizeof(int));
    cudaMemset(values, 0, 128 * sizeof(int));
    reverse<<<1, 128>>>(values);
    cudaDeviceSynchronize();
    printf("done\n");
    cudaFree(values);
    return 0;
}
