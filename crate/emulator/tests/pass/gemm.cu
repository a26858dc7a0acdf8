// Matrix products: a plain one, one with tiles in shared memory, one with tiles in registers.
extern "C" __global__ void gemm_plain(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void gemm_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[32][32], bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int from = 0; from < k; from += 32) {
        int x = from + threadIdx.x, y = from + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// 64x64 tile of C, 8x8 of A and B at a time, 4x4 outputs a thread; sizes are multiples of 64.
extern "C" __global__ void gemm_registers(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ float as[8][64], bs[8][64];
    float sums[4][4] = {};
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float* ap = a + (size_t)blockIdx.y * 64 * k;
    const float* bp = b + blockIdx.x * 64;
    for (int from = 0; from < k; from += 8) {
        for (int i = t; i < 512; i += 256) {
            as[i % 8][i / 8] = ap[(size_t)(i / 8) * k + from + i % 8];
            bs[i / 64][i % 64] = bp[(size_t)(from + i / 64) * n + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float4 x = *(float4*)&as[i][ty * 4], y = *(float4*)&bs[i][tx * 4];
            float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int s = 0; s < 4; s++) sums[r][s] += xs[r] * ys[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *(float4*)(c + (size_t)(blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64 + tx * 4) =
            make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
}
