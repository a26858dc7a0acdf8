// launch: --grid 8 --block 128 --arg f32[4]=random:9 --arg f32[1024]=zero
// first: constant 8
__constant__ float M[128][4];
__global__ void transform(const float* v, float* out) {
    int t = threadIdx.x;
    float s = 0;
    for (int k = 0; k < 4; k++)
        s += M[t][k] * v[k];
    out[blockIdx.x * 128 + t] = s;
}
