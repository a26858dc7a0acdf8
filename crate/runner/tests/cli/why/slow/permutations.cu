// launch: --grid 4 --block 128 --arg u32[512]=random:7 --arg u32[512]=zero --arg i32=8
// first: local_array 12
__global__ void shuffle(const unsigned* seeds, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = seeds[i];
    unsigned char deck[16];
    for (int k = 0; k < n; ++k) deck[k] = k;
    for (int k = n - 1; k > 0; --k) {
        state = state * 1664525u + 1013904223u;
        int j = (state >> 16) % (k + 1);
        unsigned char t = deck[k];
        deck[k] = deck[j];
        deck[j] = t;
    }
    out[i] = deck[0] * 16 + deck[n - 1];
}
