// launch: --grid 2 --block 32 --arg f32[384]=random:5 --arg i32=64 --arg f32=0.1
// finds: out_of_bounds
struct Particle { float3 pos; float3 vel; };
__global__ void step(Particle* p, int n, float dt) {
    int i = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    Particle& q = p[i];
    q.pos.x += q.vel.x * dt; //!
    q.pos.y += q.vel.y * dt; //!
    q.pos.z += q.vel.z * dt; //!
}
