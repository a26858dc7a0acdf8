// prints: 0 of 1001 wrong
#include <cstdio>

__global__ void add_one(cudaPitchedPtr volume, cudaExtent extent) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    char *slice = (char *)volume.ptr + z * volume.pitch * extent.height;
    ((int *)(slice + y * volume.pitch))[x] += 1;
}

int main() {
    const int width = 13, height = 11, depth = 7;
    static int in[depth][height][width], out[depth][height][width];
    for (int i = 0; i < width * height * depth; i++) (&in[0][0][0])[i] = i;
    cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
    cudaPitchedPtr volume;
    cudaMalloc3D(&volume, extent);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in, width * sizeof(int), width, height);
    copy.dstPtr = volume;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    add_one<<<dim3(height, depth), width>>>(volume, extent);
    cudaMemcpy3DParms back = {};
    back.srcPtr = volume;
    back.dstPtr = make_cudaPitchedPtr(out, width * sizeof(int), width, height);
    back.extent = extent;
    back.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&back);
    int wrong = 0;
    for (int i = 0; i < width * height * depth; i++) wrong += (&out[0][0][0])[i] != i + 1;
    printf("%d of %d wrong\n", wrong, width * height * depth);
    cudaFree(volume.ptr);
    return wrong;
}
