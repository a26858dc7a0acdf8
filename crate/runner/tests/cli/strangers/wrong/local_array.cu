// launch: --grid 1 --block 32 --arg f32[160]=random:1 --arg f32[32]=zero --arg i32=5
// finds: out_of_bounds
__global__ void median(const float* in, float* out, int k) {
    float w[4];
    int i = threadIdx.x;
    for (int j = 0; j < k; ++j)
        w[j] = in[i * k + j]; //!
    for (int a = 0; a < k; ++a)
        for (int b = a + 1; b < k; ++b)
            if (w[b] < w[a]) { float t = w[a]; w[a] = w[b]; w[b] = t; }
    out[i] = w[k / 2];
}
