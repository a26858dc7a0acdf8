//# block 128
#define K 4
extern "C" __global__ void test(const float2* pts, const float2* cent, int* label, float* sum, int items)
{
    __shared__ float sx[K], sy[K];
    __shared__ int cnt[K];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < K) { sx[t] = sy[t] = 0; cnt[t] = 0; }
    __syncthreads();
    if (i < items) {
        float2 p = pts[i];
        float bd = 3.4e38f;
        int b = 0;
        for (int k = 0; k < K; k++) {
            float dx = p.x - cent[k].x, dy = p.y - cent[k].y, d = dx * dx + dy * dy;
            if (d < bd) { bd = d; b = k; }
        }
        label[i] = b;
        atomicAdd(&cnt[b], 1);
    }
    __syncthreads();
    if (t < K) sum[blockIdx.x * K + t] = cnt[t];
}
