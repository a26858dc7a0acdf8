// launch: --grid 1 --block 64 --shared 512 --arg f32[64]=iota --arg f32[64]=zero
// finds: race
extern __shared__ float a[];
extern __shared__ int index[];
__global__ void gather(const float* in, float* out) {
    int t = threadIdx.x;
    a[t] = in[t]; //!
    index[63 - t] = t; //!
    __syncthreads();
    out[t] = a[index[t] & 63];
}
