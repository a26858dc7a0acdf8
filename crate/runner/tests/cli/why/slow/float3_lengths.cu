// launch: --grid 16 --block 128 --arg f32[6144]=random:1 --arg f32[2048]=zero
// first: structure 5
__global__ void lengths(const float3* v, float* len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 a = v[i];
    len[i] = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
}
