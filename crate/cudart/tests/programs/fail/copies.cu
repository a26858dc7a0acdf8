// prints: invalid argument
// prints: invalid argument
// prints: invalid argument
// prints: invalid argument
// prints: still works: no error
#include <cstdio>

static void tell(cudaError_t status) { printf("%s\n", cudaGetErrorString(status)); }

int main() {
    int host[32] = {}, *device, *freed;
    cudaMalloc(&device, 16 * sizeof(int));
    cudaMalloc(&freed, sizeof host);
    cudaFree(freed);
    tell(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice)); // finds: invalid_pointer
    tell(cudaMemcpy(device, host, sizeof(int), cudaMemcpyDeviceToHost)); // finds: invalid_pointer
    tell(cudaMemcpy(host, freed, sizeof host, cudaMemcpyDeviceToHost)); // finds: invalid_pointer
    tell(cudaFree(freed)); // finds: invalid_free
    printf("still works: ");
    tell(cudaMemcpy(device, host, 16 * sizeof(int), cudaMemcpyHostToDevice));
    cudaFree(device);
    return 0;
}
