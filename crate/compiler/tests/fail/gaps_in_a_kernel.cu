struct Base { virtual int f() { return 1; } };
struct Guard { int* p; __device__ Guard(int* p) : p(p) {} __device__ ~Guard() { *p = 0; } };
struct Holder { Guard guard; };
template <typename T> struct Box { T t; friend __device__ bool operator==(Box a, Box b) { return a.t == b.t; } };
struct Counter { static const int count; };
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
struct Halves { static __device__ float of(float x) { return 0.5f * x; } };
__device__ Guard guarded(int* p) { return Guard(p); }

extern "C" __global__ void guards(int* p)
{
    guarded(p);
    Guard(p + 1);
}

extern "C" __global__ void k(float* x)
{
    Base base;
    x[0] = asinhf(x[1]) + base.f();
    Function f = x[1] > 0 ? twice : Halves::of;
    x[1] = f(x[2]);
}
