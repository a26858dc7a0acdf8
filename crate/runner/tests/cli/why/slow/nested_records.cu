// launch: --grid 8 --block 256 --arg f32[14336]=random:8 --arg f32[2048]=zero --arg i32=2048
// first: structure 6
struct Vec { float x, y, z; };
struct Star { Vec pos; Vec vel; float m; };
__device__ float dot(const Vec& a, const Vec& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__global__ void kinetic(const Star* s, float* e, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        e[i] = 0.5f * s[i].m * dot(s[i].vel, s[i].vel);
    }
}
