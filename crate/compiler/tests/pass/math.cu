// Functions of the mathematics library, to the bit.
extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 64;
    const float x = in[t] * 0.037f - 10.0f, y = in[t + 32] * 0.25f + 0.1f, z = t < 2 ? t * 1e-42f : y;
    unsigned k = 0;
    to[k++] = __float_as_uint(expf(x));
    to[k++] = __float_as_uint(exp10f(x));
    to[k++] = __float_as_uint(logf(y));
    to[k++] = __float_as_uint(logf(z));
    to[k++] = __float_as_uint(log2f(z));
    to[k++] = __float_as_uint(log10f(y));
    to[k++] = __float_as_uint(logf(x));
    to[k++] = __float_as_uint(tanhf(x * 0.1f));
    to[k++] = __float_as_uint(roundf(x * 3));
    to[k++] = __float_as_uint(__powf(y, x));
    to[k++] = __float_as_uint(copysignf(y, x));
    to[k++] = __float_as_uint(__expf(x) + __logf(y) + __fdividef(x, y) + rsqrtf(y));
    to[k++] = __float_as_uint(expf(x * 100));
    to[k++] = __float_as_uint(1 / (1 + expf(-x)));
}
