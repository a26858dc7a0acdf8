// launch: --grid 8 --block 128 --arg f64[6144]=random:2 --arg f64[1024]=zero
// first: structure 7
typedef struct { double x, y, z, vx, vy, vz; } Particle;
__global__ void speed(Particle* p, double* v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p += i;
    v[i] = sqrt(p->vx * p->vx + p->vy * p->vy + p->vz * p->vz);
}
