// What is known while compiling: recursion, tables, and loops over arrays.
//# block 32
__device__ constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
template <int N> struct Factorial { static constexpr int value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr int value = 1; };
constexpr int table[] = {1, 1, 2, 3, 5, 8};
__device__ constexpr float weights[3][2] = {{1, 2}, {3, 4}, {5, 6}};
static_assert(fib(10) == 55, "fib");
static_assert(Factorial<5>::value == 120);
extern "C" __global__ void test(const int *in, int *out) {
  constexpr int n = sizeof(table) / sizeof(table[0]);
  int s = 0;
  for (int v : table) s += v * in[threadIdx.x];
  for (const auto &w : weights) s += (int)(w[0] * w[1]);
  out[threadIdx.x] = s + n + Factorial<4>::value + fib(7);
}
