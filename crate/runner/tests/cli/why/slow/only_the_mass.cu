// launch: --grid 16 --block 128 --arg f32[16384]=random:7 --arg f32[2048]=zero --arg i32=2048
// first: structure 6
struct Star { float3 pos; float3 vel; float mass; float pad; };
__global__ void getMass(const Star* stars, float* mass, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) mass[i] = stars[i].mass;
}
