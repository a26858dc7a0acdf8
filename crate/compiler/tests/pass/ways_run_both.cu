//# block 64 1
// Ways of few instructions are run both, and then what only they load is loaded by all.
extern "C" __global__ void test(const float* in, const float* other, float* out, int items)
{
    int i = threadIdx.x;
    float a = in[i], b = other[i], c = in[i + 64], d = other[i + 64];
    // Five instructions of one value, and six.
    float five = a, six = a;
    if (a > 1)
        five = (((b * c + d) * a) + c) * b;
    if (b > 1)
        six = ((((b * c + d) * a) + c) * b) - d;
    out[i] = five;
    out[64 + i] = six;
    // What only the way needs.
    float x = in[i + 128], y = other[i + 128];
    float needed = b;
    if (c > 0)
        needed = x * b - y;
    out[128 + i] = needed;
    // Of two values: one and four, four and one.
    float x2 = in[i + 192], y2 = other[i + 192], p = a, q = b, r = a, s = b;
    if (d > 0) {
        p = x2 * 3;
        q = ((x2 + c) * a + b) * d;
    }
    out[192 + i] = p;
    out[256 + i] = q;
    float x3 = in[i + 256], y3 = other[i + 256];
    if (d > 0.5f) {
        r = ((x3 + c) * a + b) * d;
        s = y3 * 3;
    }
    out[320 + i] = r;
    out[384 + i] = s;
    // On both sides: three and five, four and one.
    float x4 = in[i + 320], y4 = other[i + 320], both, side;
    if (a > 0.5f)
        both = (x4 + c) * a - 3;
    else
        both = (((y4 * c) + a) * d + b) * 7;
    out[448 + i] = both + y2;
    float x5 = in[i + 384], y5 = other[i + 384];
    if (b > 0.5f)
        side = ((x5 + c) * a + d) * b;
    else
        side = y5 * 7;
    out[512 + i] = side;
    // Functions of floats are calls, those of bits are not.
    float x6 = in[i + 448];
    unsigned bits = __float_as_uint(a), n = bits;
    float root = x6;
    if (c > 0.5f)
        root = floorf(x6 + a);
    if (d > 0.25f)
        n = __popc(bits) + __clz(bits ^ __float_as_uint(b)) + __brev(bits);
    out[576 + i] = root + __uint_as_float(n & 0x3fffffff);
}
