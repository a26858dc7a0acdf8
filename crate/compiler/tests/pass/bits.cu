// Members of some bits, alone and in a union.
struct Rgb565 { unsigned short b : 5; unsigned short g : 6; unsigned short r : 5; };
struct Flags { unsigned a : 3; int s : 5; unsigned : 4; bool on : 1; unsigned wide : 19; };
extern "C" __global__ void test(const unsigned* in, unsigned* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Rgb565 p; p.r = in[i] & 31; p.g = in[i] >> 3; p.b = in[i] >> 7;
  Flags f = {}; f.a = in[i]; f.s = in[i] >> 2; f.on = in[i] & 4; f.wide = in[i] * 77;
  f.a += 2; f.s--;
  union { Flags f; unsigned u; } w; w.f = f;
  out[i] = (p.r + p.g * 2 + p.b * 3) ^ w.u ^ (unsigned)f.s;
}
