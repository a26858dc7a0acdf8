#define SOFTENING 1e-9f
typedef struct { float4 *pos, *vel; } BodySystem;
__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai) {
  float3 r; r.x = bj.x - bi.x; r.y = bj.y - bi.y; r.z = bj.z - bi.z;
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
  float distSixth = distSqr * distSqr * distSqr;
  float invDistCube = 1.0f/sqrtf(distSixth);
  float s = bj.w * invDistCube;
  ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s;
  return ai;
}
__device__ float3 tile_calculation(float4 myPosition, float3 accel) {
  extern __shared__ float4 shPosition[];
  for (int i = 0; i < 8; i++) accel = bodyBodyInteraction(myPosition, shPosition[i], accel);
  return accel;
}
extern "C" __global__ void test(const unsigned* in, unsigned* out) {
  extern __shared__ float4 shPosition[];
  float3 acc = {0.0f, 0.0f, 0.0f};
  int t = threadIdx.x;
  float4 myPosition = make_float4(in[t] * 0.1f, in[t + 32] * 0.2f, in[t] * 0.3f - 1, 1.0f);
  for (int i = 0, tile = 0; i < 32; i += 8, tile++) {
    if (t / 8 == tile) shPosition[t % 8] = myPosition;
    __syncthreads();
    acc = tile_calculation(myPosition, acc);
    __syncthreads();
  }
  float4 acc4 = {acc.x, acc.y, acc.z, 0.0f};
  ((float4*)out)[t] = acc4;
}
