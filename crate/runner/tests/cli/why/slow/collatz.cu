// launch: --grid 16 --block 128 --arg u32[2048]=zero
// first: divergence 7
__global__ void collatz(unsigned* steps) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = i + 1;
    unsigned s = 0;
    while (n != 1) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n = n / 2;
        s++;
    }
    steps[i] = s;
}
