// Macros that paste, repeat and count; `_Pragma`; numbers and texts as they may be written.
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define REPEAT4(m) m(0) m(1) m(2) m(3)
#define LOAD(k) float XCAT(v, k) = in[i + k];
#define SUM(first, ...) (first + ADD(__VA_ARGS__))
#define ADD(a, b) (a) + (b)
#define NARGS(...) NARGS_(__VA_ARGS__, 3, 2, 1)
#define NARGS_(a, b, c, n, ...) n
#define UNROLL _Pragma("unroll")
#define STR(x) #x
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  REPEAT4(LOAD)
  float s = 0;
  UNROLL for (int k = 0; k < 4; k++) s += in[i + k];
  _Pragma("unroll 2") for (int k = 0; k < 8; k++) s += in[i + k];
  constexpr int big = 1'000'000, bin = 0b1010'1010, oct = 017;
  const char* raw = R"x(a"b)x";
  out[i] = v0 + v1 + v2 + v3 + SUM(s, 1, 2) + NARGS(a, b) + big + bin + oct + sizeof(STR(abc)) + raw[1];
}
