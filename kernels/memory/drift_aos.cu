// Particles as an array of structures: every field is a load of its own, 24 bytes from lane to lane.
struct Particle { float x, y, z, vx, vy, vz; };

extern "C" __global__ void drift_aos(Particle* __restrict__ particles, unsigned items, float step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items) {
        Particle& p = particles[i];
        p.x += step * p.vx;
        p.y += step * p.vy;
        p.z += step * p.vz;
    }
}
