// Operators inside and outside of structs; what is given to them runs once.
struct V { float x, y; __device__ V operator-() const { return V{-x, -y}; } __device__ V& operator++() { x += 1; return *this; } __device__ V operator++(int) { V o = *this; x += 1; return o; } __device__ float& operator[](int i) { return i ? y : x; } };
__device__ V operator*(V a, float s) { return {a.x * s, a.y * s}; }
__device__ V& operator*=(V& a, float s) { a.x *= s; a.y *= s; return a; }
__device__ V operator-(const V& a, const V& b) { return V{a.x - b.x, a.y - b.y}; }
struct Counter { unsigned *p; __device__ unsigned operator()() { return atomicAdd(p, 1u); } };
struct H { float v; __device__ H(float f) : v(f) {} __device__ H& operator+=(H o) { v += o.v; return *this; } };
extern "C" __global__ void test(const float *in, float *out, unsigned *counts) {
  V v{in[threadIdx.x], in[threadIdx.x + 1]};
  v *= 2.f; V w = v++ * 3.f; ++w; w[1] += 4; v = -v - w;
  Counter next{counts}; H h = 1.0f; h += (float)next(); h += H((float)next());
  out[2 * threadIdx.x] = v.x + w.y + (h.v > 0); out[2 * threadIdx.x + 1] = v[1];
  out[256 + threadIdx.x] = counts[0] > 0;
}
