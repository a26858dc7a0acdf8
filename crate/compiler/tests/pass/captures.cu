// Lambdas with variables of their own, with `this` and its copy, and one that is given to itself.
struct Op { float s; __device__ float run(const float* p) { auto f = [this, p](int k) { return p[k] * s; }; auto g = [*this](float v) { return v + s; }; return g(f(0)) + f(1); } };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto f = [k = i * 2, &out, x = in[i]](float a) mutable { k++; return a * k + x; };
  Op op{2.f};
  auto fact = [](auto self, int n) -> int { return n < 2 ? 1 : n * self(self, n - 1); };
  out[i] = f(1.f) + f(2.f) + op.run(in + i);
}
