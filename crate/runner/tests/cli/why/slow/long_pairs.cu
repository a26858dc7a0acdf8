// launch: --grid 8 --block 128 --arg i64[2048]=random:1 --arg i64[1024]=zero
// first: bank_conflict 11
__global__ void pairSum(const long long* in, long long* out) {
    __shared__ long long buf[256];
    int t = threadIdx.x;
    buf[t] = in[blockIdx.x * 256 + t];
    buf[t + 128] = in[blockIdx.x * 256 + 128 + t];
    __syncthreads();
    long long best = 0;
    for (int k = 0; k < 64; k += 4) {
        best += buf[(4 * t + k) & 255];
    }
    out[blockIdx.x * 128 + t] = best;
}
