// Floats and doubles: what is rounded where, conversions, products that are added.
__device__ float square(float x) { return x * x; }

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 64;
    const float x = in[t] * 0.37f - 100.0f, y = in[t + 32] * 1.25f + 0.1f;
    const double p = x * 1.000001, q = y;
    unsigned k = 0;
    to[k++] = __float_as_uint(x + y);
    to[k++] = __float_as_uint(x * y + 1.5f);
    to[k++] = __float_as_uint(x * y - y);
    to[k++] = __float_as_uint(y - x * x);
    to[k++] = __float_as_uint(x / y);
    to[k++] = __float_as_uint(1.0f / y);
    to[k++] = __float_as_uint(sqrtf(y));
    to[k++] = __float_as_uint(fabsf(x));
    to[k++] = __float_as_uint(-x);
    to[k++] = __float_as_uint(fminf(x, y) + fmaxf(x, 0.0f));
    to[k++] = __float_as_uint(fmaf(x, y, x));
    to[k++] = __float_as_uint(square(x) + square(y));
    to[k++] = (int)x;
    to[k++] = (unsigned)y;
    to[k++] = (unsigned)(long long)(x * 1e6f);
    to[k++] = __float_as_uint((float)(int)t);
    to[k++] = __float_as_uint((float)in[t + 64]);
    to[k++] = __float_as_uint((float)(p + q));
    to[k++] = __float_as_uint((float)(p * q - q));
    to[k++] = __float_as_uint((float)(p / q));
    to[k++] = (unsigned)(__double_as_longlong(p * 3) >> 20);
    to[k++] = (int)(q * 1000);
    to[k++] = x < y;
    to[k++] = x != x;
    to[k++] = !(x >= y);
    to[k++] = x == y ? 1 : 2;
    to[k++] = __float_as_uint(floorf(x) + ceilf(y) + truncf(x) + rintf(y));
    to[k++] = __float2int_rn(x) + __float2int_rd(y);
    to[k++] = __float_as_uint(__fmul_rn(x, y) + 1.0f);
    float sum = 0;
    for (unsigned i = 0; i < 10; i++)
        sum += x * i;
    to[k++] = __float_as_uint(sum);
    sum = 1e30f;
    sum *= 1e30f;
    to[k++] = __float_as_uint(sum) + __float_as_uint(1.0f / 3);
    to[k++] = __float_as_uint(0x1.8p3f + 1e-3f + .5f + 2.f);
    to[k++] = __float_as_uint(exp2f(1.0f));
    bool is = x;
    to[k++] = is;
    to[k++] = (unsigned char)(y / 100);
}
