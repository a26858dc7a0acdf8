// launch: --grid 8 --block 8,8,4 --arg f32[2048]=random:8 --arg f32[2048]=zero
// first: bank_conflict 10
__global__ void rotate(const float* in, float* out) {
    __shared__ float v[4][8][8];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int at = blockIdx.x * 256 + (z * 8 + y) * 8 + x;
    v[z][y][x] = in[at];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 8; k++) s += v[x & 3][k][y];
    out[at] = s;
}
