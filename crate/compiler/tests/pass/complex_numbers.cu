// Complex numbers.
#include <cuda/std/complex>
__device__ int mandel(float cr, float ci) { cuda::std::complex<float> c(cr, ci), z(0.0f, 0.0f); int n = 0; while (cuda::std::norm(z) < 4.0f && n < 50) { z = z * z + c; n++; } return n; }
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    y[threadIdx.x] = mandel(x[threadIdx.x], x[threadIdx.x + 1]);
    cuda::std::complex<double> d(x[threadIdx.x], x[threadIdx.x + 2]), e = d * 2.0;
    d *= 3.0; d += e; auto f = conj(d * e);
    y[64 + threadIdx.x] = f.real() - f.imag() + __int_as_float(0x7f800000);
    cuda::std::complex<float> i(__int_as_float(0x7f800000), x[threadIdx.x]), k(x[threadIdx.x], threadIdx.x == 3 ? NAN : 0.0f);
    auto p = i * k; y[128 + threadIdx.x] = p.real(); y[160 + threadIdx.x] = p.imag();
}
