// prints: block 3 adds 256 of 1024
// prints: the sum is 523776
#include <cstdio>

__global__ void sum(const int *values, int *total, int n) {
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? values[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(total, part[0]);
        if (blockIdx.x == 3) printf("block %d adds %d of %d\n", blockIdx.x, blockDim.x, n);
    }
}

int main() {
    const int n = 1024;
    int values[n], total;
    for (int i = 0; i < n; i++) values[i] = i;
    int *d_values, *d_total;
    cudaMalloc(&d_values, sizeof values);
    cudaMalloc(&d_total, sizeof(int));
    cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(int));
    sum<<<4, 256>>>(d_values, d_total, n);
    cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost);
    printf("the sum is %d\n", total);
    cudaFree(d_values);
    cudaFree(d_total);
    return 0;
}
