// Static members that get their values outside of their struct.
struct Config { static const int width; static constexpr int height = 4; static const float scale; enum { depth = 2 }; __device__ static int area() { return width * height; } };
const int Config::width = 8;
const float Config::scale = 0.5f;
constexpr int Config::height;
template <typename T> struct Traits { static const int bits; static const T unit; };
template <typename U> const int Traits<U>::bits = 8 * sizeof(U);
template <typename T> const T Traits<T>::unit = T(2);
extern "C" __global__ void test(const float* in, float* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * Config::scale + Config::width + Config::height + Config::area() + Traits<float>::bits + Traits<double>::unit + Traits<char>::bits;
}
