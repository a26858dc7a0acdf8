// prints: 1 device, warps of 32, compute 9.0
// prints: multiprocessors agree: 1
// prints: blocks of 256 at once: 8
// prints: none of it is free: 0, all is more: 1
// prints: cudaErrorInvalidValue: invalid argument
#include <cstdio>

__global__ void nothing() {}

int main() {
    int count, multiprocessors, blocks;
    cudaGetDeviceCount(&count);
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    printf("%d device, warps of %d, compute %d.%d\n", count, device.warpSize, device.major, device.minor);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    printf("multiprocessors agree: %d\n", multiprocessors == device.multiProcessorCount && multiprocessors > 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 256, 0);
    printf("blocks of 256 at once: %d\n", blocks);
    size_t free_bytes, all_bytes;
    cudaMemGetInfo(&free_bytes, &all_bytes);
    printf("none of it is free: %d, all is more: %d\n", free_bytes == 0, all_bytes >= free_bytes);
    printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidValue), cudaGetErrorString(cudaErrorInvalidValue));
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
