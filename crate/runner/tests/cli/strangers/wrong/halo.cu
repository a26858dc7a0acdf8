// launch: --grid 4 --block 64 --arg f32[256]=random:1 --arg f32[256]=zero --arg i32=256
// finds: out_of_bounds
#define R 2
#define B 64
__global__ void stencil(const float* in, float* out, int n) {
    __shared__ float s[B + R];
    int g = blockIdx.x * B + threadIdx.x;
    int l = threadIdx.x + R;
    s[l] = in[g];  //!
    if (threadIdx.x < R) {
        s[l - R] = g >= R ? in[g - R] : 0.f;
        s[l + B] = g + B < n ? in[g + B] : 0.f; //!
    }
    __syncthreads();
    float v = 0.f;
    for (int o = -R; o <= R; ++o) v += s[l + o]; //!
    out[g] = v;
}
