// launch: --grid 8 --block 128 --arg u32[1024]=random:4 --arg u32[1024]=zero
// first: local_array 9
__global__ void reverseDigits(const unsigned* in, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char digits[12];
    unsigned v = in[i];
    int n = 0;
    do {
        digits[n++] = v % 10;
        v /= 10;
    } while (v);
    unsigned r = 0;
    for (int k = 0; k < n; k++) r = r * 10 + digits[k];
    out[i] = r;
}
