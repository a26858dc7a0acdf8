// Structs that inherit from a pack, and guides to their arguments.
template <typename... Fs> struct Overload : Fs... { using Fs::operator()...; };
template <typename... Fs> Overload(Fs...) -> Overload<Fs...>;
struct A { __device__ float operator()(float x) const { return x; } };
struct B { __device__ float operator()(int x) const { return x * 2.f; } };
template <typename... Bases> struct All : Bases... { __device__ float both(float x, int i) { return A::operator()(x) + B::operator()(i); } };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Overload o{A{}, B{}};
  All<A, B> all;
  out[i] = o(in[i]) + o(i) + all.both(in[i], i);
}
