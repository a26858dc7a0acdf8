// Complex numbers of cuComplex.h.
#include <cuComplex.h>
extern "C" __global__ void test(const float* in, float* out, int items) { int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuFloatComplex a = make_cuFloatComplex(in[i], 2.0f), b = make_float2(1.5f, in[i] + 1); cuComplex c = cuCmulf(a, b); c = cuCaddf(c, cuConjf(a)); c = cuCdivf(c, b); c = cuCsubf(c, a); c = cuCfmaf(a, b, c); cuDoubleComplex d = make_cuDoubleComplex(in[i], 1); d = cuCmul(d, d); d = cuCdiv(d, cuCadd(d, make_cuDoubleComplex(1, 2))); d = cuCfma(d, d, cuConj(d)); d = cuCsub(d, cuComplexFloatToDouble(a)); cuFloatComplex e = cuComplexDoubleToFloat(d);
  out[i] = cuCabsf(c) + cuCrealf(c) + cuCimagf(e) + (float)cuCabs(d) + (float)cuCreal(d) + (float)cuCimag(d);
}
