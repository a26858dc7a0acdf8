// launch: --grid 2,2 --block 16,16 --arg f32[1024]=iota --arg f32[1024]=zero --arg i32=32
// finds: race,uninitialized
template <int T> __device__ void tileTranspose(const float* in, float* out, int n) {
    __shared__ float s[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = in[y * n + x]; //!
    int ox = blockIdx.y * T + threadIdx.x, oy = blockIdx.x * T + threadIdx.y;
    out[oy * n + ox] = s[threadIdx.x][threadIdx.y]; //!
}
__global__ void transpose(const float* in, float* out, int n) { tileTranspose<16>(in, out, n); } //!
