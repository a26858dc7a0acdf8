// launch: --grid 16 --block 256 --arg f32[24576]=random:3 --arg f32=0.01 --arg i32=4096
// first: structure 11
typedef struct {
    float px, py, pz;
    float vx, vy, vz;
} Body;

__global__ void step(Body* bodies, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].px += bodies[i].vx * dt;
        bodies[i].py += bodies[i].vy * dt;
        bodies[i].pz += bodies[i].vz * dt;
    }
}
