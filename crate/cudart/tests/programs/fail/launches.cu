// prints: invalid argument
// prints: no error
// prints: invalid argument
// prints: no error
#include <cstdio>

__global__ void fill(int *values) { values[threadIdx.x] = 1; }

__global__ void large(int *values) {
    extern __shared__ int memory[];
    memory[threadIdx.x] = values[0];
    values[threadIdx.x] = memory[threadIdx.x];
}

static void tell(cudaError_t status) { printf("%s\n", cudaGetErrorString(status)); }

int main() {
    int *values;
    cudaMalloc(&values, 4096 * sizeof(int));
    fill<<<1, 2048>>>(values); // finds: limit
    tell(cudaGetLastError());
    tell(cudaPeekAtLastError());
    large<<<1, 32, 64 << 10>>>(values); // finds: limit
    tell(cudaPeekAtLastError());
    cudaGetLastError();
    fill<<<1, 1024>>>(values);
    tell(cudaDeviceSynchronize());
    cudaFree(values);
    return 0;
}
