// launch: --grid 16 --block 128 --arg i32[2048]=random:7 --arg i32[2048]=zero --arg i32=6
// first: local_array 9
__global__ void buckets(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count[8];
    for (int j = 0; j < 8; ++j) count[j] = 0;
    int value = in[i];
    for (int j = 0; j < n; ++j) {
        ++count[value & 7];
        value >>= 3;
    }
    out[i] = count[in[i] & 7];
}
