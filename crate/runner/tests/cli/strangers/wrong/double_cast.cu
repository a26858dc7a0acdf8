// launch: --grid 1 --block 64 --arg f32[64]=random:1 --arg f64[64]=zero
// finds: out_of_bounds
__global__ void widen(const float* in, double* out) {
    const double* d = reinterpret_cast<const double*>(in);
    out[threadIdx.x] = d[threadIdx.x] * 0.5; //!
}
