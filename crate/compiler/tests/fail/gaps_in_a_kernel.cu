struct Counter { static const int count; };
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
struct Halves { static __device__ float of(float x) { return 0.5f * x; } };
struct Guard { int* p; __device__ Guard(int* p) : p(p) {} __device__ ~Guard() { *p = 0; } __device__ int get() const { return *p; } };
struct Base { int v; };
struct Other { __device__ virtual int f() { return 1; } };
struct Both : Base, Other { };
struct Shared : virtual Base { };

extern "C" __global__ void guards(int* p)
{
    p[1] = p[2] > 0 ? Guard(p).get() : 3;
}

extern "C" __global__ void k(float* x)
{
    Function f = x[1] > 0 ? twice : Halves::of;
    x[1] = f(x[2]);
}
