//# arch compute_80
// Floats of eight bits.
#include <cuda_fp8.h>

__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; return h ^ h >> 16; }

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (unsigned i = 0; i < 64; i++) {
        const unsigned h = mix(t * 64 + i);
        const float special[8] = {0.0f, -0.0f, 448.0f, 464.0f, 57344.0f, 61440.0f, __int_as_float(0x7f800000), __int_as_float(0x7fffffff)};
        const float f = (h & 7) == 0 ? special[(h >> 3) & 7] : (h & 7) == 1 ? __uint_as_float(h) : __uint_as_float((h & 0x80ffffffu) + 0x3a000000u);
        const double d = f * 1.0000001;
        const __half small = __ushort_as_half((unsigned short)h);
        const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)(h >> 16));
        unsigned* to = out + (t * 64 + i) * 24;
        *to++ = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3);
        *to++ = __nv_cvt_double_to_fp8(d, __NV_NOSAT, __NV_E4M3);
        *to++ = __nv_cvt_halfraw_to_fp8(small, __NV_NOSAT, __NV_E4M3);
        *to++ = __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, __NV_E4M3);
        *to++ = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
        *to++ = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E4M3);
        *to++ = __nv_cvt_halfraw_to_fp8(small, __NV_SATFINITE, __NV_E4M3);
        *to++ = __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, __NV_E4M3);
        *to++ = __half_as_ushort(__half(__nv_cvt_fp8_to_halfraw((unsigned char)h, __NV_E4M3)));
        *to++ = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2);
        *to++ = __nv_cvt_double_to_fp8(d, __NV_NOSAT, __NV_E5M2);
        *to++ = __nv_cvt_halfraw_to_fp8(small, __NV_NOSAT, __NV_E5M2);
        *to++ = __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, __NV_E5M2);
        *to++ = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
        *to++ = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E5M2);
        *to++ = __nv_cvt_halfraw_to_fp8(small, __NV_SATFINITE, __NV_E5M2);
        *to++ = __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, __NV_E5M2);
        *to++ = __half_as_ushort(__half(__nv_cvt_fp8_to_halfraw((unsigned char)h, __NV_E5M2)));
        *to++ = __nv_fp8_e4m3(f).__x + __float_as_uint((float)__nv_fp8_e4m3(f));
        *to++ = __nv_fp8x4_e4m3(make_float4(f, 1.5f, -3.0f, f * 0.3f)).__x;
        *to++ = __nv_fp8_e5m2(f).__x + __float_as_uint((float)__nv_fp8_e5m2(f));
        *to++ = __nv_fp8x4_e5m2(make_float4(f, 1.5f, -3.0f, f * 0.3f)).__x;
    }
}
