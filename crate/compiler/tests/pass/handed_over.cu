// Objects with destructors that functions hand over.
struct P { int* p; __device__ P(int* q) : p(q) { } __device__ ~P() { *p += 1; } __device__ void f() { *p *= 2; } };
__device__ inline P make(int* p) { if (threadIdx.x == 0) *p = 3; return P(p); }
extern "C" __global__ void test(int* p) {
    auto a = make(p + threadIdx.x);
    P b = make(p + threadIdx.x + 40);
    a.f();
    if constexpr (sizeof(int) == 8) { asm volatile("foo"); }
}
