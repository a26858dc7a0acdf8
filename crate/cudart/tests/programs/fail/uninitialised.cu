// prints: done
#include <cstdio>

__global__ void sum(const int *values, int *total) {
    atomicAdd(total, values[threadIdx.x]); // finds: uninitialized
}

int main() {
    int *values, *total;
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    sum<<<1, 32>>>(values, total);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(total);
    printf("done\n");
    return 0;
}
