// Division and functions of complex numbers.
#include <cuda/std/complex>
__device__ unsigned bits(float v) { return v != v ? 1u : __float_as_uint(v); }
__device__ unsigned bits(double v) { return v != v ? 1u : (unsigned)__double2loint(v) * 5 + (unsigned)__double2hiint(v); }
template <typename T> __device__ unsigned all(T x, T y, T z, T w, int which) {
    using C = cuda::std::complex<T>;
    C a(x, y), b{z, w}, c;
    switch (which) {
    case 0: c = a / b; break;
    case 1: c = T(3) / b; break;
    case 2: c = a; c /= b; break;
    case 3: c = cuda::std::exp(a * T(0.1)); break;
    case 4: c = cuda::std::log(b); break;
    case 5: c = cuda::std::sqrt(a); break;
    case 6: c = cuda::std::polar(cuda::std::abs(a), w); break;
    case 7: c = cuda::std::pow(a, b * T(0.1)); break;
    case 8: c = C(cuda::std::abs(a), cuda::std::arg(b)); break;
    default: c = C(cuda::std::norm(b), cuda::std::real(cuda::std::conj(a))); break;
    }
    return bits(c.real()) * 3 + bits(c.imag());
}
extern "C" __global__ void test(const float* in, unsigned* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = in[(i + 1) % items], z = in[(i + 5) % items], w = in[(i + 9) % items];
    out[i] = all(x, y, z, w, i % 10) * 3 + all<double>(x, y, z, w, i % 10);
}
