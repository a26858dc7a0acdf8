// launch: --grid 16 --block 64 --arg f32[8192]=random:5 --arg f32[8192]=zero --arg f32=2
// first: structure 10
struct Vertex {
    float position[3];
    float normal[3];
    float u, v;
};
__global__ void scaleMesh(const Vertex* in, Vertex* out, float s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Vertex v = in[i];
    v.position[0] *= s;
    v.position[1] *= s;
    v.position[2] *= s;
    out[i] = v;
}
