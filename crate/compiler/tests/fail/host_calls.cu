extern "C" __global__ void k(float* x, const float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("%u", i);
    float* z = (float*)cudaMalloc(4);
    cudaDeviceSynchronize();
    x[i] = std::max(1.0f, 2.0f);
}
