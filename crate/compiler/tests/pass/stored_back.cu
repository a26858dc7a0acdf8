//# block 128
struct Particle { float x, y, z, vx, vy, vz, mass; int alive; };
extern "C" __global__ void test(Particle* p, int items, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items) return;
    Particle q = p[i];
    if (!q.alive) return;
    q.vy -= 9.81f * dt;
    q.x += q.vx * dt; q.y += q.vy * dt; q.z += q.vz * dt;
    if (q.y < 0) { q.y = -q.y; q.vy = -q.vy * 0.5f; }
    p[i] = q;
}
