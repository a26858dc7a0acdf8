// Division and what is left over, by constants of all sorts, and of 64 bits by numbers that fit in 32 or do not.
template <typename T, T... BY> __device__ T all(T number)
{
    T sum = 0;
    ((sum = sum * 31 + number / BY, sum = sum * 31 + number % BY), ...);
    return sum;
}

__device__ unsigned edge(unsigned e, unsigned low, unsigned high)
{
    const unsigned t = threadIdx.x;
    return e == 0 ? low : e == 1 ? high : e == 2 ? 0x7fffffff : e == 3 ? 0x80000000 : e == 4 ? 0xffffffff : e == 5 ? low >> (t & 31) : ~low >> (t & 31);
}

__device__ unsigned long long wide_edge(unsigned e, unsigned long long both)
{
    return e == 0 ? both : e == 1 ? ~both >> (threadIdx.x & 63) : e == 2 ? ~0ull : e == 3 ? 1ull << 63 : e == 4 ? (1ull << 63) - 1 : e == 5 ? (unsigned)both : 1ull << 32;
}

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    const unsigned t = threadIdx.x;
    const unsigned low = in[t] * 2654435769u, high = in[t + 32] * 40503u * 2654435769u;
    const unsigned long long both = (unsigned long long)high << 32 | low;
#pragma unroll 1
    for (unsigned e = 0; e < 7; ++e) {
        const unsigned n = edge(e, low, high);
        unsigned* to = out + t * 64 + e * 2;
        to[0] = all<unsigned, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 17, 25, 28, 61, 100, 641, 1000, 65537, 1000003, 0x7fffffff, 0x80000001, 0xffffffff>(n);
        to[1] = all<int, 2, 3, 4, 5, 6, 7, 9, 10, 12, 16, 25, 61, 125, 256, 625, 1000, 65536, 1000003, 0x40000000, 0x7fffffff, -1, -2, -7>(n);
    }
#pragma unroll 1
    for (unsigned e = 0; e < 7; ++e) {
        const unsigned long long n = wide_edge(e, both);
        unsigned long long sum = all<unsigned long long, 2, 3, 7, 10, 14, 17, 28, 641, 1000000007, 0x100000001, 0x7fffffffffffffff, 0x8000000000000001>(n);
        sum = sum * 31 + all<long long, 2, 3, 7, 8, 10, 16, 641, 1000000007, 0x100000000, 0x7fffffffffffffff, -3, -16>(n);
#pragma unroll 1
        for (unsigned d = 0; d < 7; ++d) {
            const unsigned long long by = wide_edge(d, both) | 1;
            sum = sum * 31 + n / by + n % by;
            sum = sum * 31 + (long long)n / (long long)by + (long long)n % (long long)by;
            sum = sum * 31 + n / (unsigned)by + n % (low | 1) + (unsigned long long)low / (high | 1);
        }
        out[t * 64 + 20 + e] = (unsigned)(sum ^ sum >> 32);
    }
    unsigned small = threadIdx.x * 40 + (low & 0x3ff);
    out[t * 64 + 30] = all<unsigned, 3, 5, 7, 17, 61, 1000>(small);
    const unsigned short s = low;
    const signed char c = high;
    out[t * 64 + 31] = all<unsigned short, 3, 7, 10>(s) + all<int, 3, 7, 10, 32>(c);
}
