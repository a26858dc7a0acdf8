//# block 256
#define R 3
__constant__ float kern[2 * R + 1] = {0.1f, 0.2f, 0.3f, 0.4f, 0.3f, 0.2f, 0.1f};
extern "C" __global__ void test(const float* in, float* out, int items)
{
    __shared__ float s[256 + 2 * R];
    int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
    s[l] = g < items ? in[g] : 0;
    if (threadIdx.x < R) {
        s[l - R] = g >= R ? in[g - R] : 0;
        s[l + 256] = g + 256 < items ? in[g + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; k++) sum += s[l + k] * kern[k + R];
    if (g < items) out[g] = sum;
}
