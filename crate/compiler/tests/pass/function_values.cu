// Functions as values that are known while compiling.
__device__ float add(float a, float b) { return a + b; }
__device__ float mul(float a, float b) { return a * b; }
typedef float (*BinOp)(float, float);
using UnOp = float (*)(float);
__device__ float neg(float a) { return -a; }
template <BinOp F> __device__ float fold4(const float* p) { float r = p[0]; for (int i = 1; i < 4; i++) r = F(r, p[i]); return r; }
template <float (*F)(float, float)> __device__ float once(float a) { return F(a, a); }
__device__ float call(float (*f)(float, float), float x) { return f(x, 2.f); }
__device__ float call1(UnOp f, float x) { return f(x); }
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  BinOp op = mul;
  constexpr UnOp u = &neg;
  out[i] = fold4<add>(in + i) + once<mul>(in[i]) + call(add, in[i]) + call1(neg, in[i]) + op(in[i], 3.f) + (*op)(1.f, in[i]) + u(in[i]);
}
