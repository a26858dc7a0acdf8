// launch: --grid 16 --block 256 --arg i32[4096]=random:7 --arg i32[4096]=zero
// first: atomic 8
__global__ void rankInBucket(const int* in, int* rank) {
    __shared__ int next[4];
    if (threadIdx.x < 4) next[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    rank[i] = atomicAdd(&next[in[i] & 3], 1);
}
