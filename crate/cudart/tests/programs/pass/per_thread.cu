// nvcc: -default-stream=per-thread -Xcompiler=-pthread
// prints: 0 of 512 wrong
// prints: the driver has 1 device
#include <cstdio>
#include <thread>

__global__ void fill(int *values, int value) { values[threadIdx.x] = value + threadIdx.x; }

static void work(int value, int *wrong) {
    int *values, host[256];
    cudaMalloc(&values, sizeof host);
    fill<<<1, 256>>>(values, value);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) *wrong += host[i] != value + i;
    cudaFree(values);
}

int main() {
    int wrong[2] = {};
    std::thread first(work, 7, &wrong[0]), second(work, 9, &wrong[1]);
    first.join();
    second.join();
    printf("%d of 512 wrong\n", wrong[0] + wrong[1]);
    int (*count)(int *) = nullptr, devices = 0;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuDeviceGetCount", (void **)&count, 12000, cudaEnableDefault, &result);
    if (result == cudaDriverEntryPointSuccess) count(&devices);
    printf("the driver has %d device\n", devices);
    return 0;
}
