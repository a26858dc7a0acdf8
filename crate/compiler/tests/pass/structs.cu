// Structs: constructors, members, operators, inheritance of nothing; unions, arrays of them, references.
struct Pair {
    unsigned a, b;
    __device__ Pair() : a(1), b(2) {}
    __device__ Pair(unsigned a, unsigned b) : a(a), b(b) {}
    __device__ Pair operator+(const Pair& other) const { return Pair(a + other.a, b + other.b); }
    __device__ Pair& operator+=(const Pair& other) { a += other.a; b += other.b; return *this; }
    __device__ bool operator==(const Pair& other) const { return a == other.a && b == other.b; }
    __device__ unsigned operator[](unsigned i) const { return i ? b : a; }
    __device__ unsigned operator()(unsigned x, unsigned y = 3) const { return a * x + b * y; }
    __device__ void swap() { unsigned t = a; a = b; b = t; }
    __device__ unsigned both() const { return sum() * 2; }
    __device__ unsigned sum() const { return this->a + b; }
    static __device__ unsigned twice(unsigned x) { return 2 * x; }
    static constexpr unsigned COUNT = 2;
};

struct Point { float x = 1.5f, y; };
struct Line { Point from, to; unsigned char kind; };
union Bits { float number; unsigned bits; unsigned char bytes[4]; };
struct alignas(16) Four { unsigned word[4]; };

__device__ Pair operator*(unsigned factor, const Pair& pair) { return {pair.a * factor, pair.b * factor}; }
__device__ void change(Pair& pair, unsigned by) { pair.a ^= by; }
__device__ Line made(unsigned t) { return {{float(t), 2.0f}, {3.0f, 4.0f}, (unsigned char)t}; }

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 64;
    unsigned k = 0;
    Pair p(in[t], in[t + 32]), q, r = p + q;
    r += Pair{5, 6};
    to[k++] = r.a;
    to[k++] = r.b;
    r.swap();
    to[k++] = r[0] - r[1];
    to[k++] = r(2) + r(2, 5);
    to[k++] = r == p;
    to[k++] = r.both() + Pair::twice(7) + Pair::COUNT;
    change(r, 255);
    to[k++] = (3 * r).a;
    Pair list[4];
    for (unsigned i = 0; i < 4; i++)
        list[i] = Pair(i * t, i + 1);
    Pair& third = list[2];
    third.b = 77;
    Pair* pointer = &list[1];
    pointer->a += 9;
    (*++pointer).a += 1;
    to[k++] = list[0].b + list[1].a * 10 + list[2].a * 100 + list[2].b * 1000 + list[3].a;
    Line line = made(t);
    Line other = line;
    other.to.x += 1;
    to[k++] = __float_as_uint(line.from.x + line.to.x + other.to.x) + line.kind;
    Point fresh;
    fresh.y = 2;
    to[k++] = __float_as_uint(fresh.x + fresh.y);
    Bits bits;
    bits.number = in[t];
    to[k++] = bits.bits;
    bits.bytes[1] = 0x42;
    to[k++] = bits.bits + bits.bytes[3];
    Four four = {{t, t + 1, t + 2}};
    Four copy = four;
    copy.word[3] = 9;
    to[k++] = copy.word[1] + copy.word[3] + four.word[3] + sizeof(Four) + alignof(Four) + sizeof(Line);
    auto chosen = t % 2 ? p : r;
    to[k++] = chosen.a;
    struct Local { int v; __device__ int get() const { return v * 2; } };
    Local local{(int)t};
    to[k++] = local.get();
}
