// launch: --grid 1 --block 32 --arg f32[64]=random:1 --arg f32[32]=zero
// finds: out_of_bounds
__constant__ float K[9] = {1,2,3,4,5,4,3,2,1};
template <int TAPS> __device__ float conv(const float* p) {
    float s = 0.f;
    for (int j = 0; j <= TAPS; ++j) s += K[j] * p[j]; //!
    return s;
}
__global__ void filter(const float* in, float* out) {
    out[threadIdx.x] = conv<9>(in + threadIdx.x); //!
}
