// prints: an illegal memory access was encountered
// prints: and again: an illegal memory access was encountered
#include <cstdio>

__global__ void count(int *values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; // finds: out_of_bounds
}

int main() {
    int *values;
    cudaMalloc(&values, 1000 * sizeof(int));
    count<<<8, 128>>>(values);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaGetLastError();
    printf("and again: %s\n", cudaGetErrorString(cudaFree(values)));
    return 0;
}
