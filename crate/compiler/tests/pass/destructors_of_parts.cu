// What ends: members, bases, elements, parameters, and objects that no variable holds.
struct Log {
    int* p;
    int v;
    __device__ Log(int* p, int v) : p(p), v(v) { *p = *p * 3 + v; }
    __device__ Log(const Log& other) : p(other.p), v(other.v + 1) { *p = *p * 7 + v; }
    __device__ ~Log() { *p = *p * 5 - v; }
    __device__ int get() const { return v; }
};
struct Two { Log a, b; int k; __device__ Two(int* p) : a(p, 1), b(p, 2), k(3) {} };
struct Derived : Log { __device__ Derived(int* p) : Log(p, 7) {} __device__ ~Derived() { *p += 1; } };
struct Outside { int* p; __device__ Outside(int* p); __device__ ~Outside(); };
__device__ Outside::Outside(int* p) : p(p) { *p += 11; }
__device__ Outside::~Outside() { *p *= 13; }
__device__ Log made(int* p) { return Log(p, 9); }
__device__ int taken(const Log& l) { return l.v; }
__device__ int copied(Log l) { return l.v * 2; }
__device__ int ended(int* p, int x) { Two t(p); if (x & 1) return t.a.v; Log l = t.a; return l.v; }
extern "C" __global__ void test(const int* in, int* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i], s = 0;
    { Two t(&x); s += t.k; }
    { Log a[2] = {Log(&x, 4), Log(&x, 5)}; s += a[1].v; }
    { Derived d(&x); s += d.v; }
    { Outside o(&x); s += x; }
    s += made(&x).get();
    s += taken(Log(&x, 6)) + taken(made(&x));
    Log(&x, 8);
    { Two t[2] = {Two(&x), Two(&x)}; s += t[0].k; }
    { const Log& kept = made(&x); s += kept.v; x += 17; }
    { Log named(&x, 12); s += copied(named) + copied(Log(&x, 14)) + copied(made(&x)); }
    if (taken(made(&x)) > 3) s += 1;
    s += ended(&x, in[i]);
    out[i] = x + s;
}
