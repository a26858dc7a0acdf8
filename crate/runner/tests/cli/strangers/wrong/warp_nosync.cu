// launch: --grid 1 --block 32 --arg f32[64]=random:1 --arg f32[1]=zero
// finds: race
__global__ void reduce(const float* in, float* out) {
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    s[t] += s[t + 32];
    if (t < 16) s[t] += s[t + 16]; //!
    if (t < 8) s[t] += s[t + 8]; //!
    if (t < 4) s[t] += s[t + 4]; //!
    if (t < 2) s[t] += s[t + 2]; //!
    if (t < 1) *out = s[0] + s[1]; //!
}
