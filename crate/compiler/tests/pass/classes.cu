// A class as textbooks write it, with functions that are defined outside of it.
class Rng {
public:
  __device__ explicit Rng(unsigned seed) : state_{seed * 747796405u + 2891336453u} {}
  __device__ unsigned next() { state_ = state_ * 1664525u + 1013904223u; return state_; }
  __device__ float uniform();
  Rng(const Rng&) = default;
  __device__ Rng& operator=(const Rng&) = default;
  __device__ ~Rng() {}
  friend __device__ bool operator==(const Rng& a, const Rng& b) { return a.state_ == b.state_; }
private:
  unsigned state_;
  mutable int used_ = 0;
};
__device__ inline float Rng::uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
template <typename T> class Stack { T data_[8]; int top_ = 0; public: __device__ void push(T v); __device__ T pop() { return data_[--top_]; } __device__ bool empty() const { return top_ == 0; } };
template <typename T> __device__ void Stack<T>::push(T v) { data_[top_++] = v; }
extern "C" __global__ void test(const unsigned* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Rng r(in[i]); Rng q = r;
  Stack<float> s;
  for (int k = 0; k < 5; k++) s.push(r.uniform());
  float t = 0; while (!s.empty()) t = t * 2 + s.pop();
  out[i] = t + (q == r);
}
