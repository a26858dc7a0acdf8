// What the benchmark runs beside the transposes: a matrix product in registers, a loop of arithmetic.

// 128 x 128 tile of C for 256 threads, 8 x 8 outputs each, 8 columns of A at a time. Sizes are multiples of 128.
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                int n, int k) {
    __shared__ float as[8][128], bs[8][128];
    float sums[8][8] = {};
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float* ap = a + (size_t)(blockIdx.y * 128 + t / 2) * k + t % 2 * 4;
    const float* bp = b + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4;
    for (int from = 0; from < k; from += 8) {
        float4 x = *(const float4*)ap, y = *(const float4*)bp;
        as[t % 2 * 4 + 0][t / 2] = x.x;
        as[t % 2 * 4 + 1][t / 2] = x.y;
        as[t % 2 * 4 + 2][t / 2] = x.z;
        as[t % 2 * 4 + 3][t / 2] = x.w;
        *(float4*)&bs[t / 32][t % 32 * 4] = y;
        __syncthreads();
        ap += 8;
        bp += (size_t)8 * n;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float xs[8], ys[8];
            *(float4*)&xs[0] = *(float4*)&as[i][ty * 4];
            *(float4*)&xs[4] = *(float4*)&as[i][ty * 4 + 64];
            *(float4*)&ys[0] = *(float4*)&bs[i][tx * 4];
            *(float4*)&ys[4] = *(float4*)&bs[i][tx * 4 + 64];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++) sums[r][s] += xs[r] * ys[s];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        float* row = c + (size_t)(blockIdx.y * 128 + r / 4 * 64 + ty * 4 + r % 4) * n + blockIdx.x * 128 + tx * 4;
        *(float4*)row = make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
        *(float4*)(row + 64) = make_float4(sums[r][4], sums[r][5], sums[r][6], sums[r][7]);
    }
}

// Four chains of arithmetic that differ from lane to lane; nothing of it is an address.
extern "C" __global__ void arithmetic(unsigned* __restrict__ values, int rounds) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = values[at], b = a ^ 0x9e3779b9u, c = a * 5u + 1u, d = a + 77u;
    for (int round = 0; round < rounds; round++) {
        a = a * 1664525u + b;
        b = (b ^ (a >> 7)) + c;
        c = (c << 3) ^ (d + a);
        d = d * 22695477u + (b & c);
    }
    values[at] = a ^ b ^ c ^ d;
}
