//# block 64
//# items 4096
#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8
extern "C" __global__ void test(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN];
    int tid = threadIdx.x, tr = tid / (BN / TN), tc = tid % (BN / TN);
    float acc[TM][TN] = {0.0f}, rm[TM], rn[TN];
    N = 64; K = 16 + K;
    A += blockIdx.x * BM * K;
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += 64) As[i % BK][i / BK] = A[(i / BK) * K + i % BK];
        for (int i = tid; i < BN * BK; i += 64) Bs[i / BN][i % BN] = B[(i / BN) * N + i % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i) rm[i] = As[k][tr * TM + i];
            for (int j = 0; j < TN; ++j) rn[j] = Bs[k][tc * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] += rm[i] * rn[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) C[(blockIdx.x * BM + tr * TM + i) * N + tc * TN + j] = acc[i][j];
}
