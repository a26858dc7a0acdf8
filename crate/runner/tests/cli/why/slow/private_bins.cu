// launch: --grid 4 --block 64 --arg u32[16384]=random:5 --arg u32[64]=zero
// first: bank_conflict 5
__global__ void hist(const unsigned* data, unsigned* bins) {
    __shared__ unsigned mine[64 * 16];
    for (int b = 0; b < 16; b++) mine[threadIdx.x * 16 + b] = 0;
    for (int k = 0; k < 64; k++) {
        unsigned v = data[(blockIdx.x * 64 + k) * 64 + threadIdx.x];
        mine[threadIdx.x * 16 + (v & 15)]++;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned total = 0;
        for (int t = 0; t < 64; t++) total += mine[t * 16 + threadIdx.x];
        atomicAdd(&bins[threadIdx.x], total);
    }
}
