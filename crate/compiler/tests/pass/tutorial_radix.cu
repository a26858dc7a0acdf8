//# block 128
//# items 128
extern "C" __global__ void test(unsigned* data, int items)
{
    __shared__ unsigned s[128], f[128];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    __syncthreads();
    for (int bit = 0; bit < 10; bit++) {
        unsigned v = s[t], e = !((v >> bit) & 1);
        f[t] = e;
        __syncthreads();
        for (int d = 1; d < 128; d <<= 1) {
            unsigned a = t >= d ? f[t - d] : 0;
            __syncthreads();
            f[t] += a;
            __syncthreads();
        }
        unsigned zeros = f[127], at = e ? f[t] - 1 : zeros + t - f[t];
        __syncthreads();
        s[at] = v;
        __syncthreads();
    }
    data[blockIdx.x * 128 + t] = s[t];
}
