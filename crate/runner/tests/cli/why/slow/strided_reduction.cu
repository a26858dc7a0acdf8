// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[16]=zero
// first: bank_conflict 9
__global__ void reduce(const float* in, float* out) {
    __shared__ float part[256];
    unsigned t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        if (2 * s * t < 256) part[2 * s * t] += part[2 * s * t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
