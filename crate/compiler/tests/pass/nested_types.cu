// Structs, enumerations and types within a struct.
template <typename T, int BM> struct Gemm {
  struct Shape { int m, n; };
  struct Params { const T* a; T* c; Shape shape; };
  enum class Mode { Plain, Scaled };
  using Element = T;
  typedef T Frag[4];
  struct Storage { T tile[BM][BM + 1]; T pad[4]; };
  __device__ static void run(const Params& p, Storage& s, Mode mode) {
    Frag f;
    for (int i = 0; i < 4; i++) f[i] = p.a[threadIdx.x + i * p.shape.m];
    s.tile[threadIdx.x % BM][threadIdx.x / BM] = f[0] + f[1];
    s.pad[threadIdx.x & 3] = 1;
    __syncthreads();
    Element v = s.tile[threadIdx.x % BM][threadIdx.x / BM] * f[2];
    if (mode == Mode::Scaled) v *= p.shape.n;
    p.c[threadIdx.x + blockIdx.x * 32] = v;
  }
};
extern "C" __global__ void test(const float* in, float* out, int items) {
  using G = Gemm<float, 8>;
  __shared__ G::Storage storage;
  G::Params params{in, out, {2, 3}};
  G::run(params, storage, items > 3 ? G::Mode::Scaled : G::Mode::Plain);
}
