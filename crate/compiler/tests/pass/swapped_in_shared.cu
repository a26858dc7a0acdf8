//# block 32
// What may have been stored over is loaded again, even where it would be the same.
extern "C" __global__ void test(const float* in, float* out, int items, int rounds)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    for (int k = t; k < 256; k += 32)
        s[k] = in[k];
    __syncthreads();
    const int a = 2 * t + 1 + ((2 * t + 1) >> 5), b = 2 * t + 2 + ((2 * t + 2) >> 5);
    if (t < 20) {
        float v = s[a];
        s[a] = s[b];
        s[b] += v;
    }
    __syncthreads();
    float v = s[100 + 4 * t + (rounds & 3)];
    s[t * 3] = v;
    out[300 + t] = s[100 + 4 * t + (rounds & 3)];
    out[t] = s[3 * t] + v;
}
