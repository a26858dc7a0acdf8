// Constants, arrays and types that belong to a struct, and templates of constants.
struct Config { static constexpr int tile = 16; static const int rows = 4; static constexpr float scale = 0.5f; static constexpr int table[4] = {1, 3, 5, 7}; enum { Lanes = 32 }; };
template <int N> struct Log2 { static constexpr int value = 1 + Log2<N / 2>::value; };
template <> struct Log2<1> { static constexpr int value = 0; };
template <typename T> struct Traits { static constexpr T one = 1; using type = T; typedef T* pointer; };
template <typename T> inline constexpr int bytes_v = sizeof(T);
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < Config::rows; k++) acc += in[i + k * Config::tile] * Config::table[k];
  typename Traits<float>::pointer p = &out[i];
  *p = acc * Config::scale + Log2<64>::value + Traits<float>::one + bytes_v<double> + Config::Lanes;
}
