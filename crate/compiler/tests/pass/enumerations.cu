// Enumerations of several sizes, and what falls through in `switch`.
//# block 32
enum class Op : unsigned char { Add, Sub, Mul = 5, Max };
enum Color { RED, GREEN = 4, BLUE };
namespace detail { namespace inner { __device__ int pick(int a) { return a > 3 ? a : 3; } } using inner::pick; }
__device__ int apply(Op op, int a, int b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: { int t = a * b; return t; }
    default: break;
  }
  return a > b ? a : b;
}
extern "C" __global__ void test(const int *in, int *out) {
  int a = in[threadIdx.x], b = in[threadIdx.x + 32];
  Op op = static_cast<Op>(a % 4 == 2 ? 5 : a % 4);
  Color c = a & 1 ? BLUE : GREEN;
  int r = apply(op, a, b);
  switch (c) { case RED: r = 0; case GREEN: r += 1; case BLUE: r += 2; break; }
  out[threadIdx.x] = r + detail::pick(b % 8) + int(Op::Max) + static_cast<int>(c);
}
