// prints: device-side assert triggered
// status: 4
#include <cassert>
#include <cstdio>

__global__ void positive(const int *values) {
    assert(values[threadIdx.x] > 0); // finds: assert
}

int main() {
    int host[4] = {1, 2, 0, 4}, *values;
    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    positive<<<1, 4>>>(values);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status == cudaSuccess ? 0 : 4;
}
