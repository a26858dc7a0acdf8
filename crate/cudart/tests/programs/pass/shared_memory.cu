// prints: 96 KiB a block: 24575
#include <cstdio>

struct Shape {
    int elements;
    short stride;
};

template <typename T>
__global__ void last(T *out, Shape shape) {
    extern __shared__ char memory[];
    T *values = (T *)memory;
    for (int i = threadIdx.x; i < shape.elements; i += blockDim.x * shape.stride) values[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = values[shape.elements - 1];
}

int main() {
    const int bytes = 96 << 10;
    float *out, result;
    cudaMalloc(&out, sizeof(float));
    cudaFuncSetAttribute(last<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    last<<<1, 128, bytes>>>(out, Shape{bytes / 4, 1});
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d KiB a block: %g\n", bytes >> 10, result);
    cudaFree(out);
    return 0;
}
