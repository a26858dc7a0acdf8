// Blocks of bytes.
struct S { float a[3]; int b; };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i]; unsigned u; memcpy(&u, &x, sizeof(u));
  S s; memset(&s, 0, sizeof(s)); s.a[1] = __uint_as_float(u);
  float tmp[4]; memcpy(tmp, in + i, sizeof(tmp));
  out[i] = s.a[1] + s.a[0] + tmp[3];
}
