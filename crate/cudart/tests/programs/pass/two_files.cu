// with: two_files/helper.cu
// arguments: 5 six
// prints: 15 18 21 24, given six
#include "two_files/helper.h"
#include <cstdio>
#include <cstdlib>

static __device__ int first;

static __global__ void apply(int *values) { values[threadIdx.x] = first + threadIdx.x; }

int main(int count, char **arguments) {
    int *values, result[4], begin = count > 1 ? atoi(arguments[1]) : 0;
    cudaMalloc(&values, sizeof result);
    cudaMemcpyToSymbol(first, &begin, sizeof begin);
    apply<<<1, 4>>>(values);
    triple(values);
    cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d, given %s\n", result[0], result[1], result[2], result[3], arguments[2]);
    cudaFree(values);
    return 0;
}
