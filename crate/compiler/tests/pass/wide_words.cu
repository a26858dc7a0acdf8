//# items 32
// Numbers in words given as vectors, atomics of eight and two bytes, vectors that are aligned to 16 and 32 bytes.
extern "C" __global__ void test(const float* in, float* out)
{
    const unsigned t = threadIdx.x;
    const char4* letters = (const char4*)in;
    const ushort2* pairs = (const ushort2*)in;
    const uchar4* bytes = (const uchar4*)in;
    int* sums = (int*)(out + 512);
    sums[t] = __dp4a(letters[t], letters[t + 32], sums[t]) + int(__dp2a_lo(pairs[t], bytes[t + 40], 7u));
    sums[t + 32] = __dp2a_hi(((const short2*)in)[t], letters[t + 9], -5) + __dp4a(3, 4, 5);
    long long* words = (long long*)(out + 768);
    atomicAnd(&words[t & 3], (long long)sums[t] << 16);
    atomicOr(&words[t & 7], 3LL);
    atomicXor(&words[t & 1], (long long)t);
    unsigned short* shorts = (unsigned short*)(out + 896);
    shorts[t + 32] = atomicCAS(shorts + (t & 3), (unsigned short)t, (unsigned short)(t + 1));
    double4_32a* wide = (double4_32a*)(out + 1024);
    const double4_16a from = ((const double4_16a*)in)[t & 7];
    wide[t] = make_double4_32a(from.w, from.z, from.y, from.x);
}
