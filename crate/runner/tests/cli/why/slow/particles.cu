// launch: --grid 16 --block 128 --arg f32[14336]=random:3 --arg f32[2048]=zero
// first: structure 6
struct Particle { float x, y, z, vx, vy, vz, mass; };
__global__ void energy(const Particle* all, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float vx = all[i].vx;
    float vy = all[i].vy;
    float vz = all[i].vz;
    out[i] = 0.5f * all[i].mass * (vx * vx + vy * vy + vz * vz);
}
