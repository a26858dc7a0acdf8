// launch: --grid 8 --block 128 --arg f32[8192]=random:6 --arg f32[1024]=zero
// first: bank_conflict 13
struct Item { float value, weight, cost, rank, a, b, c, d; };
__global__ void best(const float* in, float* out) {
    __shared__ Item items[128];
    int t = threadIdx.x;
    items[t].value = in[blockIdx.x * 1024 + t];
    items[t].weight = in[blockIdx.x * 1024 + 128 + t];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 16; ++k) {
        Item* other = &items[(t + k) % 128];
        s += other->value * other->weight;
    }
    out[blockIdx.x * 128 + t] = s;
}
