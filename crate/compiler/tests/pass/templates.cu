// Templates of functions and structs, `if constexpr`, overloads, default arguments, function parameters, enumerations.
template <typename T, unsigned N>
struct Array {
    T values[N];
    static constexpr unsigned size = N;
    using Value = T;
    __device__ T& operator[](unsigned i) { return values[i]; }
    __device__ const T& operator[](unsigned i) const { return values[i]; }
    __device__ T sum() const
    {
        T all = 0;
        for (unsigned i = 0; i < N; ++i)
            all += values[i];
        return all;
    }
};

template <typename T> __device__ T larger(T a, T b) { return a > b ? a : b; }
template <typename T> __device__ T first(const T* list) { return list[0]; }
template <unsigned N, typename T> __device__ T power(T x)
{
    if constexpr (N == 0)
        return 1;
    else
        return x * power<N - 1>(x);
}
template <typename T, unsigned N> __device__ unsigned count(const T (&)[N]) { return N; }
template <typename A> __device__ typename A::Value last(const A& array) { return array[A::size - 1]; }
template <unsigned f(unsigned)> __device__ unsigned applied(unsigned x) { return f(f(x)); }
template <typename F> __device__ unsigned with(F f, unsigned x) { return f(x) + f(x + 1); }
template <typename T = unsigned, bool IS = true> __device__ T chosen(T x) { return IS ? x : T(0); }

__device__ unsigned three(unsigned x) { return 3 * x + 1; }
__device__ unsigned kind(int) { return 1; }
__device__ unsigned kind(unsigned) { return 2; }
__device__ unsigned kind(float) { return 3; }
__device__ unsigned kind(double) { return 4; }
__device__ unsigned kind(const float*) { return 5; }
template <typename T> __device__ unsigned kind(T*) { return 6; }
__device__ unsigned with_default(unsigned a, unsigned b = 10, unsigned c = 100) { return a + b + c; }

enum Colour { RED, GREEN = 5, BLUE };
enum class Mode : int { OFF, ON = 3 };
constexpr unsigned SIZE = 4, TWICE = 2 * SIZE;
constexpr unsigned table[4] = {3, 1, 4, 1};
__constant__ unsigned constants[3] = {10, 20, 30};
using Four = Array<unsigned, SIZE>;
typedef unsigned long long Word;

template <typename T>
constexpr __device__ T squared(T x) { return x * x; }

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 64;
    unsigned k = 0;
    Four four;
    for (unsigned i = 0; i < Four::size; i++)
        four[i] = in[t + i];
    to[k++] = four.sum();
    to[k++] = last(four);
    to[k++] = larger(in[t], 500u) + larger(-3, (int)t);
    to[k++] = power<3>(in[t]);
    unsigned list[TWICE];
    to[k++] = count(list) + count(four.values);
    to[k++] = first(in + t);
    to[k++] = applied<three>(t);
    unsigned base = in[t + 1];
    to[k++] = with([=](unsigned x) { return x * base; }, 4);
    unsigned calls = 0;
    auto counting = [&](unsigned x) { calls++; return x + calls; };
    to[k++] = with(counting, 4) + calls;
    to[k++] = chosen(t) + chosen<unsigned, false>(t);
    to[k++] = kind(1) + 10 * kind(1u) + 100 * kind(1.0f) + 1000 * kind(1.0);
    to[k++] = kind((const float*)nullptr) * 10 + kind(in);
    to[k++] = with_default(1) + with_default(1, 2) + with_default(1, 2, 3);
    const Colour colour = t % 2 ? GREEN : BLUE;
    to[k++] = colour + (colour == GREEN);
    const Mode mode = t > 3 ? Mode::ON : Mode::OFF;
    to[k++] = mode == Mode::ON ? static_cast<int>(mode) : 50;
    to[k++] = table[t % 4] + table[2] + constants[t % 3];
    static_assert(squared(SIZE) == 16, "squares");
    Word word = Word(t) << 33;
    to[k++] = unsigned(word >> 30);
    switch (in[t] % 5) {
        case 0: to[k++] = 1; break;
        case 1:
        case 2: to[k++] = 2; break;
        case 3: to[k++] = 3;  // falls through
        default: to[k++] = 4;
    }
    unsigned n = in[t], steps = 0;
    while (n != 1 && steps < 200) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (++steps == 150)
            break;
    }
    to[30] = steps;
    do {
        n += 3;
        if (n % 7 == 0)
            continue;
        n ^= 1;
    } while (n < 100);
    to[31] = n;
    unsigned odd = 0;
    for (unsigned i = 0, j = 10; i < j; i++, j--) {
        if (i == 3)
            continue;
        odd = odd * 10 + i * j;
    }
    to[32] = odd;
}
