// prints: 1 4 9 16 after 4 threads
// prints: table of 16 bytes
// prints: the last weight doubled: 1 4 9 32
// prints: history 7 4
#include <cstdio>

__constant__ int weights[4];
__device__ int threads_seen;
__device__ int history[2] = {7, 0};

__global__ void scale(int *values) {
    values[threadIdx.x] = (threadIdx.x + 1) * weights[threadIdx.x];
    atomicAdd(&threads_seen, 1);
}

__global__ void remember() { history[1] = threads_seen; }

int main() {
    int host[4] = {1, 2, 3, 4}, result[4], seen;
    int *values;
    cudaMalloc(&values, sizeof result);
    cudaMemcpyToSymbol(weights, host, sizeof host);
    scale<<<1, 4>>>(values);
    remember<<<1, 1>>>();
    cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&seen, threads_seen, sizeof seen);
    printf("%d %d %d %d after %d threads\n", result[0], result[1], result[2], result[3], seen);
    size_t bytes;
    cudaGetSymbolSize(&bytes, weights);
    printf("table of %zu bytes\n", bytes);
    int twice = 8;
    cudaMemcpyToSymbol(weights, &twice, sizeof twice, 3 * sizeof(int));
    scale<<<1, 4>>>(values);
    cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost);
    printf("the last weight doubled: %d %d %d %d\n", result[0], result[1], result[2], result[3]);
    int *address, past[2];
    cudaGetSymbolAddress((void **)&address, history);
    cudaMemcpy(past, address, sizeof past, cudaMemcpyDeviceToHost);
    printf("history %d %d\n", past[0], past[1]);
    cudaFree(values);
    return 0;
}
