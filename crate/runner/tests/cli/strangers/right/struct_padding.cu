// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[64]=zero
struct Item { char tag; int key; };
__device__ Item pick(Item a, Item b, bool c) { return c ? a : b; }
__global__ void copy(const int* in, Item* out) {
    __shared__ Item s[32];
    int t = threadIdx.x;
    Item mine; mine.tag = 'a' + t % 26; mine.key = in[t];
    s[t] = mine;
    __syncthreads();
    Item other = s[31 - t];
    out[t] = pick(other, mine, other.key > mine.key);
}
