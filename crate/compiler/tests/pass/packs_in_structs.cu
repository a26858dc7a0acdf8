// Structs of any number of members, by special cases that take off the first.
template <typename... Ts> struct Tuple;
template <> struct Tuple<> { };
template <typename H, typename... T> struct Tuple<H, T...> { H head; Tuple<T...> tail; __device__ Tuple(H h, T... t) : head(h), tail(t...) {} };
template <int I> struct Get { template <typename Tp> __device__ static auto of(Tp& t) { return Get<I - 1>::of(t.tail); } };
template <> struct Get<0> { template <typename Tp> __device__ static auto of(Tp& t) { return t.head; } };
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Tuple<float, int, float> t(in[i], i, in[i + 1]);
  out[i] = Get<0>::of(t) + Get<1>::of(t) * Get<2>::of(t);
}
