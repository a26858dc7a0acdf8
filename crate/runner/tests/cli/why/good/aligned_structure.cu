// launch: --grid 16 --block 128 --arg f32[8192]=random:8 --arg f32[2048]=zero
struct __align__(16) Ball { float x, y, z, r; };
__global__ void volume(const Ball* balls, float* v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 b = reinterpret_cast<const float4*>(balls)[i];
    v[i] = 4.18879f * b.w * b.w * b.w + b.x * b.y * b.z;
}
