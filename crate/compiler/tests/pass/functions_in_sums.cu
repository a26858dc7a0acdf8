//# block 64 1
// Functions of the library in sums of products: which products are fused is seen in the last bits.
extern "C" __global__ void test(const float* in, const float* other, float* out, int items)
{
    int i = threadIdx.x;
    float a = in[i], b = other[i], c = in[i + 64], d = other[i + 64];
    out[0 * 64 + i] = a * b + acosf(c * 0.25f);
    out[1 * 64 + i] = acosf(c * 0.25f) * d + a * b;
    out[2 * 64 + i] = d - a * acosf(b * 0.25f);
    out[3 * 64 + i] = a * acosf(b * 0.25f) + d * d;
    out[4 * 64 + i] = a * b + asinf(c * 0.25f);
    out[5 * 64 + i] = asinf(c * 0.25f) * d + a * b;
    out[6 * 64 + i] = d - a * asinf(b * 0.25f);
    out[7 * 64 + i] = a * asinf(b * 0.25f) + d * d;
    out[8 * 64 + i] = a * b + cbrtf(c * 0.25f);
    out[9 * 64 + i] = cbrtf(c * 0.25f) * d + a * b;
    out[10 * 64 + i] = d - a * cbrtf(b * 0.25f);
    out[11 * 64 + i] = a * cbrtf(b * 0.25f) + d * d;
    out[12 * 64 + i] = a * b + rcbrtf(c * 0.25f);
    out[13 * 64 + i] = rcbrtf(c * 0.25f) * d + a * b;
    out[14 * 64 + i] = d - a * rcbrtf(b * 0.25f);
    out[15 * 64 + i] = a * rcbrtf(b * 0.25f) + d * d;
    out[16 * 64 + i] = a * b + erfcf(c * 0.25f);
    out[17 * 64 + i] = erfcf(c * 0.25f) * d + a * b;
    out[18 * 64 + i] = d - a * erfcf(b * 0.25f);
    out[19 * 64 + i] = a * erfcf(b * 0.25f) + d * d;
    out[20 * 64 + i] = a * b + sinhf(c * 0.25f);
    out[21 * 64 + i] = sinhf(c * 0.25f) * d + a * b;
    out[22 * 64 + i] = d - a * sinhf(b * 0.25f);
    out[23 * 64 + i] = a * sinhf(b * 0.25f) + d * d;
    out[24 * 64 + i] = a * b + expm1f(c * 0.25f);
    out[25 * 64 + i] = expm1f(c * 0.25f) * d + a * b;
    out[26 * 64 + i] = d - a * expm1f(b * 0.25f);
    out[27 * 64 + i] = a * expm1f(b * 0.25f) + d * d;
    out[28 * 64 + i] = a * b + expf(c * 0.25f);
    out[29 * 64 + i] = expf(c * 0.25f) * d + a * b;
    out[30 * 64 + i] = d - a * expf(b * 0.25f);
    out[31 * 64 + i] = a * expf(b * 0.25f) + d * d;
    out[32 * 64 + i] = a * b + fabsf(c * 0.25f);
    out[33 * 64 + i] = fabsf(c * 0.25f) * d + a * b;
    out[34 * 64 + i] = d - a * fabsf(b * 0.25f);
    out[35 * 64 + i] = a * fabsf(b * 0.25f) + d * d;
    out[36 * 64 + i] = a * b + sqrtf(c * 0.25f);
    out[37 * 64 + i] = sqrtf(c * 0.25f) * d + a * b;
    out[38 * 64 + i] = d - a * sqrtf(b * 0.25f);
    out[39 * 64 + i] = a * sqrtf(b * 0.25f) + d * d;
    out[40 * 64 + i] = a * b + tanhf(c * 0.25f);
    out[41 * 64 + i] = tanhf(c * 0.25f) * d + a * b;
    out[42 * 64 + i] = d - a * tanhf(b * 0.25f);
    out[43 * 64 + i] = a * tanhf(b * 0.25f) + d * d;
}
