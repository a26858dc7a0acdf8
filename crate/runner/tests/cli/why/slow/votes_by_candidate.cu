// launch: --grid 16 --block 256 --arg u8[4096]=random:1 --arg u32[5]=zero --arg i32=4096
// first: atomic 7
__global__ void tally(const unsigned char* ballots, unsigned* votes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int candidate = ballots[i] % 5;
    atomicAdd(&votes[candidate], 1);
}
