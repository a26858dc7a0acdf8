// Unions and structs without a name.
struct Quad { union { struct { float x, y, z, w; }; float v[4]; float4 f4; }; };
union Bits { float f; unsigned u; struct { unsigned short lo, hi; } h; };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Quad q; q.x = in[i]; q.y = 2; q.z = 3; q.w = in[i + 1];
  Bits b; b.f = in[i]; b.u ^= 0x80000000u;
  union { int i; float f; } t; t.f = in[i];
  struct { int a; float b; } loc = {1, 2.f};
  out[i] = q.v[0] + q.v[3] * q.v[i & 3] + b.f + (t.i & 1) + b.h.hi + loc.b;
}
