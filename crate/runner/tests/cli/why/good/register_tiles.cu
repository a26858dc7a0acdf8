// launch: --grid 2,2 --block 16,16 --arg f32[16384]=random:4 --arg f32[16384]=random:5 --arg f32[16384]=zero --arg i32=128
__global__ void gemm(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][64], bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int r = 0; r < 4; ++r) {
            int e = t + 256 * r;
            bs[e / 64][e % 64] = b[(k0 + e / 64) * n + blockIdx.x * 64 + e % 64];
            as[e / 64][e % 64] = a[(k0 + e / 64) * n + blockIdx.y * 64 + e % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) acc[i][j] += as[k][ty + 16 * i] * bs[k][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) c[(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j] = acc[i][j];
}
