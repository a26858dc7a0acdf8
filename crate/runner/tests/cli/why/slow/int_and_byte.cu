// launch: --grid 8 --block 128 --arg i32[2048]=random:3 --arg i32[1024]=zero
// first: structure 7
struct Entry { int key; unsigned char tag; };
__global__ void keys(const Entry* table, int* out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const Entry& e = table[t];
    out[t] = e.key;
}
