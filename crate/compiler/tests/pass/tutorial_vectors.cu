// Operators for `float4` and the like, as helper headers declare them.
//# block 32
inline __host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __device__ float4 operator*(float s, const float4 &a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
inline __device__ void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __device__ float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
inline __device__ float length(float3 v) { return sqrtf(dot(v, v)); }
extern "C" __global__ void test(const float4 *in, float4 *out, const float3 *p, double2 *d, int2 *q, dim3 extent) {
  int i = threadIdx.x;
  float4 v = in[i] + 2.0f * in[i + 32];
  v += make_float4(1, 2, 3, 4);
  float3 c = cross(p[i], p[i + 1]);
  v.w = length(c) + dot(c, p[i]);
  out[i] = v;
  d[i] = make_double2(v.x, v.y);
  int2 t = q[i]; q[i] = make_int2(t.y, t.x);
  uchar4 u = make_uchar4(1, 2, 3, i); short2 s = {(short)i, 3}; longlong2 ll = make_longlong2(1, 2); ushort4 us = {1, 2, 3, 4};
  ((unsigned *)out)[256 + i] = u.w + s.x + (int)ll.y + us.z + *reinterpret_cast<unsigned *>(&u);
  const uint3 b = blockIdx; dim3 g(4, 2); ((unsigned *)out)[512 + i] = b.x + g.y + g.z + sizeof(float3) + alignof(float4);
}
