// An owner of memory: moved, handed over, and the end of what it owns.
template <typename T> class unique_ptr { T* p_; public: __device__ explicit unique_ptr(T* p = nullptr) : p_(p) {} __device__ unique_ptr(unique_ptr&& o) noexcept : p_(o.p_) { o.p_ = nullptr; } unique_ptr(const unique_ptr&) = delete; __device__ unique_ptr& operator=(unique_ptr&& o) { delete p_; p_ = o.p_; o.p_ = nullptr; return *this; } __device__ ~unique_ptr() { delete p_; } __device__ T& operator*() const { return *p_; } __device__ T* operator->() const { return p_; } __device__ T* get() const { return p_; } __device__ explicit operator bool() const { return p_ != nullptr; } };
struct N { int v; unique_ptr<N> next; __device__ N(int v) : v(v), next(nullptr) {} }; template <typename T, typename A> __device__ unique_ptr<T> make_unique(A a) { return unique_ptr<T>(new T(a)); }
template <typename T> __device__ constexpr T&& move(T& t) { return static_cast<T&&>(t); }
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unique_ptr<int> a(new int(in[i])); unique_ptr<int> b = move(a); auto c = make_unique<float>(2.5f); int s = *b + (a ? 1 : 0) + (int)*c; a = move(b); s += *a; out[i] = s;
}
