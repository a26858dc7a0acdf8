// launch: --grid 16 --block 256 --arg f32[4096]=random:5 --arg f32[4096]=zero --arg i32=4096
#define R 3
__global__ void stencil(const float* in, float* out, int n) {
    __shared__ float s[256 + 2 * R];
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int l = threadIdx.x + R;
    s[l] = g < n ? in[g] : 0.0f;
    if (threadIdx.x < R) {
        s[l - R] = g >= R ? in[g - R] : 0.0f;
        s[l + 256] = g + 256 < n ? in[g + 256] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; k++) sum += s[l + k];
    if (g < n) out[g] = sum;
}
