// Structs that inherit from another, one of them from a template of itself.
//# block 32
struct Shape { float w = 2; float h; __device__ Shape(float h_) : h(h_) {} __device__ float area() const { return w * h; } };
struct Box : public Shape { float d; __device__ Box(float a, float b) : Shape(a), d(b) {} __device__ float volume() const { return area() * d; } };
struct P2 { float x, y; };
struct P3 : P2 { float z; };
template <typename Derived> struct Crtp { __device__ float twice() { return 2 * static_cast<Derived *>(this)->value(); } };
struct Mine : Crtp<Mine> { float v; __device__ float value() { return v; } };
__device__ float norm(const P2 &p) { return p.x * p.x + p.y * p.y; }
extern "C" __global__ void test(const float *in, float *out) {
  Box b(in[threadIdx.x], in[threadIdx.x + 1]);
  P3 p; p.x = in[threadIdx.x + 2]; p.y = 1; p.z = 2;
  Mine m; m.v = p.z;
  out[threadIdx.x] = b.volume() + b.w + norm(p) + p.z + m.twice();
}
