//# block 32
#define OPS(X) \
    X(ADD, a + b) \
    X(SUB, a - b) \
    X(MUL, a * b) \
    X(AND, a & b) \
    X(SHL, a << (b & 7))
enum class Op : unsigned char {
#define X(name, expr) name,
    OPS(X)
#undef X
    COUNT
};
#define X(name, expr) __device__ int do_##name(int a, int b) { return expr; }
OPS(X)
#undef X
typedef int (*Fn)(int, int);
__device__ const Fn table[] = {
#define X(name, expr) do_##name,
    OPS(X)
#undef X
};
#define CHECK(cond) do { if (!(cond)) return; } while (0)
extern "C" __global__ void test(const int* in, int* out, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    CHECK(i < items);
    Op op = static_cast<Op>(in[i] % static_cast<int>(Op::COUNT));
    int direct = 0;
    switch (op) {
#define X(name, expr) case Op::name: direct = do_##name(in[i], i); break;
    OPS(X)
#undef X
    default: break;
    }
    out[i] = direct * 3 + table[in[i + 1] % 5](in[i + 1], i);
}
