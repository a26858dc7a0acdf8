// prints: invalid resource handle
// prints: invalid device symbol
// prints: invalid device function
// prints: invalid copy direction for memcpy
#include <cstdio>

static int ordinary;

static void tell(cudaError_t status) { printf("%s\n", cudaGetErrorString(status)); }

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    tell(cudaStreamSynchronize(stream)); // finds: invalid_call
    int value = 3;
    tell(cudaMemcpyToSymbol(&ordinary, &value, sizeof value)); // finds: invalid_call
    cudaFuncAttributes attributes;
    tell(cudaFuncGetAttributes(&attributes, (const void *)main)); // finds: invalid_call
    tell(cudaMemcpy(&ordinary, &value, sizeof value, (cudaMemcpyKind)17)); // finds: invalid_call
    return 0;
}
