// Enumerations: values that name those before them, operators of the source's own, members of some bits, cases.
enum class Flag : unsigned char { None, Read = 1 << 0, Write = 1 << 1, Both = Read | Write, Next = Both + 1 };
enum Plain { First = 3, Second, Third = First + Second };
__device__ constexpr Flag operator|(Flag a, Flag b) { return static_cast<Flag>(static_cast<int>(a) | static_cast<int>(b)); }
__device__ constexpr Flag operator&(Flag a, Flag b) { return Flag(int(a) & int(b)); }
__device__ Flag& operator|=(Flag& a, Flag b) { return a = a | b; }
__device__ Flag operator~(Flag a) { return Flag(7 & ~int(a)); }
__device__ Flag& operator++(Flag& a) { return a = Flag((int(a) + 1) & 7); }
__device__ Plain operator+(Plain a, int by) { return Plain((int(a) + by) % 8); }
__device__ constexpr bool any(Flag f) { return f != Flag::None; }
__device__ int cost(Flag f)
{
    switch (f) {
    case Flag::Read: return 10;
    case Flag::Write: return 20;
    case Flag::Both: return 25;
    default: return int(f);
    }
}
template <Flag F> __device__ int chosen() { if constexpr (F == Flag::Both) return 7; else return int(F); }
struct Entry { Flag mode : 4; unsigned count : 12; Flag whole; };

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    Flag f = Flag(in[t] & 7);
    if (any(f & (Flag::Read | Flag::Next)))
        f |= Flag::Write;
    Entry e{f, in[t] & 255, Flag::Both};
    ++f;
    if (e.mode == Flag::Both || e.mode < e.whole)
        e.mode = ~e.mode;
    out[2 * t] = cost(f) + 100 * int(e.mode) + 1000 * e.count + chosen<Flag::Both>() + chosen<Flag::Next>();
    out[2 * t + 1] = (Second + int(in[t] % 5)) * 10 + Third;
}
