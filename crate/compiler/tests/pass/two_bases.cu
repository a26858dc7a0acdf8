// A struct that inherits from two, and pointers to the second.
struct Pos { float x, y; __device__ float len2() const { return x * x + y * y; } };
struct Vel { float u, v; __device__ void push(float d) { u += d; v -= d; } };
struct Particle : Pos, Vel { float mass; __device__ void step(float dt) { x += u * dt; y += v * dt; } };
__device__ float energy(const Vel& v) { return v.u * v.u + v.v * v.v; }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Particle p; p.x = in[i]; p.y = in[i + 1]; p.u = in[i + 2]; p.v = 1.f; p.mass = 2.f;
  p.push(0.5f); p.step(0.1f);
  Vel* q = &p; q->u *= 2;
  out[i] = p.len2() + energy(p) * p.mass;
}
