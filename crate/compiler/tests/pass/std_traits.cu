// More of CUDA's own standard library: traits, bits, functions as objects, sequences of numbers.
#include <cuda/std/type_traits>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/utility>
#include <cuda/std/functional>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/cstddef>
namespace cs = cuda::std;
template <typename T, cs::enable_if_t<cs::is_arithmetic_v<T> && !cs::is_floating_point<T>::value, int> = 0> __device__ cs::make_unsigned_t<T> flip(T v) { return ~static_cast<cs::make_unsigned_t<T>>(v); }
template <cs::size_t... at> __device__ float pick(const float* p, cs::index_sequence<at...>) { return (p[at] + ...); }
template <typename T> struct Size : cs::integral_constant<int, sizeof(T)> {};
template <typename F, typename... A> __device__ auto call(F f, A&&... a) { return f(cs::forward<A>(a)...); }
struct Square { __device__ float operator()(float v) const { return v * v; } };
static_assert(cs::is_same<cs::common_type_t<int, float>, float>::value, "");
static_assert(cs::is_pointer_v<float*> && !cs::is_pointer<int>::value && cs::is_unsigned_v<unsigned> && cs::is_signed<int>::value && !cs::is_void_v<int>, "");
static_assert(cs::is_const_v<const int> && cs::is_array_v<int[3]> && cs::is_reference_v<int&> && cs::conjunction_v<cs::true_type, cs::is_integral<int>> && cs::negation_v<cs::false_type>, "");
static_assert(cs::is_same_v<cs::remove_pointer_t<int*>, int> && cs::is_same_v<cs::remove_extent_t<float[4]>, float> && cs::is_same_v<cs::make_signed_t<unsigned char>, signed char>, "");
extern "C" __global__ void test(const float* in, float* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    cs::uint32_t u = flip(int(x));
    float v[3] = {x, 2, 3};
    cs::swap(v[0], v[1]);
    auto m = cs::max(v[0], v[2]);
    m += cs::min(v[1], 1.0f);
    unsigned w = u;
    int old = cs::exchange(w, 3u);
    cs::pair<int, float> p = cs::make_pair(1, 2.0f);
    cs::plus<> pl; cs::multiplies<float> mu; cs::greater_equal<int> ge; cs::bit_xor<unsigned> bx; cs::negate<int> ne; cs::logical_not<bool> ln;
    float a = pick(v, cs::make_index_sequence<3>{}) + m + (old & 255) + p.first + p.second + pl(1, 2) + mu(v[0], 3.0f) + ge(3, 3) + bx(5u, 3u) + ne(2) + ln(false);
    int b = cs::popcount(u) + cs::countl_zero(u) * 2 + cs::countr_zero(u) * 3 + cs::countl_one(u) * 5 + cs::bit_width(u) * 7 + cs::has_single_bit(8u) + cs::bit_ceil(5u) + cs::bit_floor(100u) + cs::bit_width(9u);
    b += (cs::rotl(u, 3) ^ cs::rotr(u, 5)) % 1000 + cs::bit_cast<unsigned>(x) % 7 + cs::popcount((unsigned char)u) + cs::countl_zero((unsigned short)(u & 4095)) + cs::popcount((unsigned long long)u << 20);
    float c = cs::sqrt(v[2]) + cs::fabs(v[2]) + cs::numeric_limits<int>::max() % 11 + call(Square{}, v[1]) + cs::isnan(v[1]) + cs::pow(v[1], 2.0f) + Size<float>::value + cs::abs(v[1]) + cs::floor(v[1]) + cs::move(v[2]);
    out[i] = a + b + c;
}
