// Members of some bits, parts and conditions that are wrong.
struct Wide { unsigned a : 33; };
struct Real { float a : 3; };
struct Pair { float a, b; };
struct Missing { __device__ void f(int); };
__device__ void Missing::g(int) {}

extern "C" __global__ void k(float* x)
{
    Pair pair{1, 2};
    x[0] = pair.a;
}

struct Counted { static int count; };
extern "C" __global__ void counted(int* p) { p[0] = Counted::count; }
