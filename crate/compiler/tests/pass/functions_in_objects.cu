// Pointers to functions as members, parameters, results and variables that change.
typedef int (*Step)(int, int*);
using Pick = float (*)(float);
__device__ int up(int v, int* p) { p[0] += v; return v + 1; }
__device__ int down(int v, int* p) { p[1] -= v; return v - 1; }
__device__ int stay(int v, int* p) { return v; }
__device__ float half_of(float x) { return x * 0.5f; }
__device__ float square(float x) { return x * x; }
struct Rule { Step step; int by; __device__ int run(int* p) const { return step(by, p); } };
__device__ Step steps[4] = {up, down, stay, nullptr};
__constant__ Pick picks[] = {half_of, square};
__device__ Step choose(int i) { return i == 0 ? up : i == 1 ? down : stay; }
template <typename F> __device__ int apply(F f, int v, int* p) { return f(v, p); }
__device__ int twice(Step s, int v, int* p) { return s(s(v, p), p); }
struct Table { Pick all[2]; };
extern "C" __global__ void test(const float* x, int* y, unsigned items)
{
    int i = threadIdx.x, mine[2] = {0, 0};
    Step s = steps[i % 4];
    int r = 0;
    if (s) r += s(i, mine);
    if (s == nullptr) r += 1000;
    s = choose(i % 3);
    r += (*s)(i, mine) * 3;
    Rule rule{s, i + 5};
    r += rule.run(mine);
    for (int k = 0; k < 3; k++) { Step t = choose(k); r += apply(t, r, mine); }
    r += twice(choose(i & 1), r, mine) + twice(up, r, mine);
    Table t = {{square, half_of}};
    r += (int)(t.all[i & 1](x[i]) * 100) + (int)(picks[(i >> 1) & 1](x[i]) * 10);
    if (s != up) r ^= 1;
    Pick later;
    if (i > 7) later = square; else later = half_of;
    r += (int)later(x[i]);
    y[i] = r + mine[0] * 7 + mine[1];
}
