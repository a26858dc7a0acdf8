// prints: 0.0 0.5 1.0 1.5
// prints: 10.0 10.5 11.0 11.0
#include <cstdio>

__global__ void sample(cudaTextureObject_t texture, float *out) {
    out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(texture, 0.5f + 0.5f * threadIdx.x, 0.5f + threadIdx.y);
}

int main() {
    float texels[2][4] = {{0, 1, 2, 3}, {10, 11, 11, 11}}, result[2][4];
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &channels, 4, 2);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], 2, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    float *out;
    cudaMalloc(&out, sizeof result);
    sample<<<1, dim3(4, 2)>>>(texture, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (auto &row : result) printf("%.1f %.1f %.1f %.1f\n", row[0], row[1], row[2], row[3]);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(out);
    return 0;
}
