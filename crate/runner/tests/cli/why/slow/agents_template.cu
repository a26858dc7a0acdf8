// launch: --grid 8 --block 128 --arg f32[6144]=random:3 --arg f32=0.5
// first: structure 12
template <typename T>
struct Agent { T x, y, angle, speed, energy, age; };

template <typename T>
__global__ void update(Agent<T>* agents, T dt);

template <>
__global__ void update<float>(Agent<float>* agents, float dt) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    float a = agents[id].angle;
    float s = agents[id].speed;
    agents[id].x += s * a * dt;
    agents[id].y += s * (1 - a) * dt;
}
