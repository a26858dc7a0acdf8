// prints: done
#include <cstdio>

__global__ void fill(int *values) { values[threadIdx.x] = 1; }

int main() {
    int *values, *host;
    cudaMalloc(&values, 64 * sizeof(int));
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill<<<1, 64, 0, first>>>(values);
    cudaMemcpyAsync(host, values, 64 * sizeof(int), cudaMemcpyDeviceToHost, second); // finds: race
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(values);
    cudaFreeHost(host);
    printf("done\n");
    return 0;
}
