// Functions of integers, and of the two or four that lie side by side in a word, in sections as in math.cuh. What is one
// instruction is in lower/intrinsics/derived.rs.
//@ __each
// What a function makes of each part of two words; `bits` are those of a part, T is its type.
template <int bits, typename T, typename F> __device__ inline unsigned __each(unsigned a, unsigned b, F f)
{
    unsigned r = 0;
    for (int at = 0; at < 32; at += bits)
        r |= ((unsigned)f((T)(a >> at), (T)(b >> at)) & (0xffffffffu >> (32 - bits))) << at;
    return r;
}
//@ __each_of_one
template <int bits, typename T, typename F> __device__ inline unsigned __each_of_one(unsigned a, F f)
{
    unsigned r = 0;
    for (int at = 0; at < 32; at += bits)
        r |= ((unsigned)f((T)(a >> at)) & (0xffffffffu >> (32 - bits))) << at;
    return r;
}
//@ __each_of_three
template <typename T, typename F> __device__ inline unsigned __each_of_three(unsigned a, unsigned b, unsigned c, F f)
{
    const unsigned low = (unsigned)f((T)a, (T)b, (T)c), high = (unsigned)f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
    return (low & 0xffff) | high << 16;
}
//@ __vabs2: __each_of_one
__device__ inline unsigned __vabs2(unsigned a) { return __each_of_one<16, short>(a, [](int x) { return abs(x); }); }
//@ __vabsss2: __each_of_one
__device__ inline unsigned __vabsss2(unsigned a) { return __each_of_one<16, short>(a, [](int x) { return min(abs(x), 32767); }); }
//@ __vneg2: __each_of_one
__device__ inline unsigned __vneg2(unsigned a) { return __each_of_one<16, short>(a, [](int x) { return -x; }); }
//@ __vnegss2: __each_of_one
__device__ inline unsigned __vnegss2(unsigned a) { return __each_of_one<16, short>(a, [](int x) { return min(-x, 32767); }); }
//@ __vabsdiffs2: __each
__device__ inline unsigned __vabsdiffs2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return abs(x - y); }); }
//@ __vavgs2: __each
__device__ inline unsigned __vavgs2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return ((x + y) >> 1) + (x + y > 0 ? (x + y) & 1 : 0); }); }
//@ __vhaddu2: __each
__device__ inline unsigned __vhaddu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return (x + y) >> 1; }); }
//@ __vcmpeq2: __each
__device__ inline unsigned __vcmpeq2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x == y ? -1 : 0; }); }
//@ __vseteq2: __each
__device__ inline unsigned __vseteq2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x == y ? 1 : 0; }); }
//@ __vcmpne2: __each
__device__ inline unsigned __vcmpne2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x != y ? -1 : 0; }); }
//@ __vsetne2: __each
__device__ inline unsigned __vsetne2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x != y ? 1 : 0; }); }
//@ __vcmpges2: __each
__device__ inline unsigned __vcmpges2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x >= y ? -1 : 0; }); }
//@ __vsetges2: __each
__device__ inline unsigned __vsetges2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x >= y ? 1 : 0; }); }
//@ __vcmpgeu2: __each
__device__ inline unsigned __vcmpgeu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x >= y ? -1 : 0; }); }
//@ __vsetgeu2: __each
__device__ inline unsigned __vsetgeu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x >= y ? 1 : 0; }); }
//@ __vcmpgts2: __each
__device__ inline unsigned __vcmpgts2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x > y ? -1 : 0; }); }
//@ __vsetgts2: __each
__device__ inline unsigned __vsetgts2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x > y ? 1 : 0; }); }
//@ __vcmpgtu2: __each
__device__ inline unsigned __vcmpgtu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x > y ? -1 : 0; }); }
//@ __vsetgtu2: __each
__device__ inline unsigned __vsetgtu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x > y ? 1 : 0; }); }
//@ __vcmples2: __each
__device__ inline unsigned __vcmples2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x <= y ? -1 : 0; }); }
//@ __vsetles2: __each
__device__ inline unsigned __vsetles2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x <= y ? 1 : 0; }); }
//@ __vcmpleu2: __each
__device__ inline unsigned __vcmpleu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x <= y ? -1 : 0; }); }
//@ __vsetleu2: __each
__device__ inline unsigned __vsetleu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x <= y ? 1 : 0; }); }
//@ __vcmplts2: __each
__device__ inline unsigned __vcmplts2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x < y ? -1 : 0; }); }
//@ __vsetlts2: __each
__device__ inline unsigned __vsetlts2(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return x < y ? 1 : 0; }); }
//@ __vcmpltu2: __each
__device__ inline unsigned __vcmpltu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x < y ? -1 : 0; }); }
//@ __vsetltu2: __each
__device__ inline unsigned __vsetltu2(unsigned a, unsigned b) { return __each<16, unsigned short>(a, b, [](int x, int y) { return x < y ? 1 : 0; }); }
//@ __vabs4: __each_of_one
__device__ inline unsigned __vabs4(unsigned a) { return __each_of_one<8, signed char>(a, [](int x) { return abs(x); }); }
//@ __vabsss4: __each_of_one
__device__ inline unsigned __vabsss4(unsigned a) { return __each_of_one<8, signed char>(a, [](int x) { return min(abs(x), 127); }); }
//@ __vneg4: __each_of_one
__device__ inline unsigned __vneg4(unsigned a) { return __each_of_one<8, signed char>(a, [](int x) { return -x; }); }
//@ __vnegss4: __each_of_one
__device__ inline unsigned __vnegss4(unsigned a) { return __each_of_one<8, signed char>(a, [](int x) { return min(-x, 127); }); }
//@ __vabsdiffs4: __each
__device__ inline unsigned __vabsdiffs4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return abs(x - y); }); }
//@ __vavgs4: __each
__device__ inline unsigned __vavgs4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return ((x + y) >> 1) + (x + y > 0 ? (x + y) & 1 : 0); }); }
//@ __vhaddu4: __each
__device__ inline unsigned __vhaddu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return (x + y) >> 1; }); }
//@ __vcmpeq4: __each
__device__ inline unsigned __vcmpeq4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x == y ? -1 : 0; }); }
//@ __vseteq4: __each
__device__ inline unsigned __vseteq4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x == y ? 1 : 0; }); }
//@ __vcmpne4: __each
__device__ inline unsigned __vcmpne4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x != y ? -1 : 0; }); }
//@ __vsetne4: __each
__device__ inline unsigned __vsetne4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x != y ? 1 : 0; }); }
//@ __vcmpges4: __each
__device__ inline unsigned __vcmpges4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x >= y ? -1 : 0; }); }
//@ __vsetges4: __each
__device__ inline unsigned __vsetges4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x >= y ? 1 : 0; }); }
//@ __vcmpgeu4: __each
__device__ inline unsigned __vcmpgeu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x >= y ? -1 : 0; }); }
//@ __vsetgeu4: __each
__device__ inline unsigned __vsetgeu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x >= y ? 1 : 0; }); }
//@ __vcmpgts4: __each
__device__ inline unsigned __vcmpgts4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x > y ? -1 : 0; }); }
//@ __vsetgts4: __each
__device__ inline unsigned __vsetgts4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x > y ? 1 : 0; }); }
//@ __vcmpgtu4: __each
__device__ inline unsigned __vcmpgtu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x > y ? -1 : 0; }); }
//@ __vsetgtu4: __each
__device__ inline unsigned __vsetgtu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x > y ? 1 : 0; }); }
//@ __vcmples4: __each
__device__ inline unsigned __vcmples4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x <= y ? -1 : 0; }); }
//@ __vsetles4: __each
__device__ inline unsigned __vsetles4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x <= y ? 1 : 0; }); }
//@ __vcmpleu4: __each
__device__ inline unsigned __vcmpleu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x <= y ? -1 : 0; }); }
//@ __vsetleu4: __each
__device__ inline unsigned __vsetleu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x <= y ? 1 : 0; }); }
//@ __vcmplts4: __each
__device__ inline unsigned __vcmplts4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x < y ? -1 : 0; }); }
//@ __vsetlts4: __each
__device__ inline unsigned __vsetlts4(unsigned a, unsigned b) { return __each<8, signed char>(a, b, [](int x, int y) { return x < y ? 1 : 0; }); }
//@ __vcmpltu4: __each
__device__ inline unsigned __vcmpltu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x < y ? -1 : 0; }); }
//@ __vsetltu4: __each
__device__ inline unsigned __vsetltu4(unsigned a, unsigned b) { return __each<8, unsigned char>(a, b, [](int x, int y) { return x < y ? 1 : 0; }); }
//@ __vimax3_s32
__device__ inline int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
//@ __viaddmax_s32
__device__ inline int __viaddmax_s32(int a, int b, int c) { return max(a + b, c); }
//@ __vimax3_s16x2: __each_of_three
__device__ inline unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return max(max(x, y), z); }); }
//@ __viaddmax_s16x2: __each_of_three
__device__ inline unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return max((int)(short)(x + y), z); }); }
//@ __vimax3_s32_relu
__device__ inline int __vimax3_s32_relu(int a, int b, int c) { return max(max(max(a, b), c), 0); }
//@ __viaddmax_s32_relu
__device__ inline int __viaddmax_s32_relu(int a, int b, int c) { return max(max(a + b, c), 0); }
//@ __vimax3_s16x2_relu: __each_of_three
__device__ inline unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return max(max(max(x, y), z), 0); }); }
//@ __viaddmax_s16x2_relu: __each_of_three
__device__ inline unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return max(max((int)(short)(x + y), z), 0); }); }
//@ __vimax_s32_relu
__device__ inline int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
//@ __vimax_s16x2_relu: __each
__device__ inline unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return max(max(x, y), 0); }); }
//@ __vibmax_s32
__device__ inline int __vibmax_s32(int a, int b, bool* is_first) { *is_first = a >= b; return max(a, b); }
//@ __vibmax_s16x2
__device__ inline unsigned __vibmax_s16x2(unsigned a, unsigned b, bool* is_high, bool* is_low)
{
    *is_high = (short)(a >> 16) >= (short)(b >> 16);
    *is_low = (short)a >= (short)b;
    return __vmaxs2(a, b);
}
//@ __vimax3_u32
__device__ inline unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return max(max(a, b), c); }
//@ __viaddmax_u32
__device__ inline unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return max(a + b, c); }
//@ __vimax3_u16x2: __each_of_three
__device__ inline unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<unsigned short>(a, b, c, [](int x, int y, int z) { return max(max(x, y), z); }); }
//@ __viaddmax_u16x2: __each_of_three
__device__ inline unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<unsigned short>(a, b, c, [](int x, int y, int z) { return max((int)(unsigned short)(x + y), z); }); }
//@ __vibmax_u32
__device__ inline unsigned __vibmax_u32(unsigned a, unsigned b, bool* is_first) { *is_first = a >= b; return max(a, b); }
//@ __vibmax_u16x2
__device__ inline unsigned __vibmax_u16x2(unsigned a, unsigned b, bool* is_high, bool* is_low)
{
    *is_high = (unsigned short)(a >> 16) >= (unsigned short)(b >> 16);
    *is_low = (unsigned short)a >= (unsigned short)b;
    return __vmaxu2(a, b);
}
//@ __vimin3_s32
__device__ inline int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
//@ __viaddmin_s32
__device__ inline int __viaddmin_s32(int a, int b, int c) { return min(a + b, c); }
//@ __vimin3_s16x2: __each_of_three
__device__ inline unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return min(min(x, y), z); }); }
//@ __viaddmin_s16x2: __each_of_three
__device__ inline unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return min((int)(short)(x + y), z); }); }
//@ __vimin3_s32_relu
__device__ inline int __vimin3_s32_relu(int a, int b, int c) { return max(min(min(a, b), c), 0); }
//@ __viaddmin_s32_relu
__device__ inline int __viaddmin_s32_relu(int a, int b, int c) { return max(min(a + b, c), 0); }
//@ __vimin3_s16x2_relu: __each_of_three
__device__ inline unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return max(min(min(x, y), z), 0); }); }
//@ __viaddmin_s16x2_relu: __each_of_three
__device__ inline unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __each_of_three<short>(a, b, c, [](int x, int y, int z) { return max(min((int)(short)(x + y), z), 0); }); }
//@ __vimin_s32_relu
__device__ inline int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
//@ __vimin_s16x2_relu: __each
__device__ inline unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __each<16, short>(a, b, [](int x, int y) { return max(min(x, y), 0); }); }
//@ __vibmin_s32
__device__ inline int __vibmin_s32(int a, int b, bool* is_first) { *is_first = a <= b; return min(a, b); }
//@ __vibmin_s16x2
__device__ inline unsigned __vibmin_s16x2(unsigned a, unsigned b, bool* is_high, bool* is_low)
{
    *is_high = (short)(a >> 16) <= (short)(b >> 16);
    *is_low = (short)a <= (short)b;
    return __vmins2(a, b);
}
//@ __vimin3_u32
__device__ inline unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
//@ __viaddmin_u32
__device__ inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
//@ __vimin3_u16x2: __each_of_three
__device__ inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<unsigned short>(a, b, c, [](int x, int y, int z) { return min(min(x, y), z); }); }
//@ __viaddmin_u16x2: __each_of_three
__device__ inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) { return __each_of_three<unsigned short>(a, b, c, [](int x, int y, int z) { return min((int)(unsigned short)(x + y), z); }); }
//@ __vibmin_u32
__device__ inline unsigned __vibmin_u32(unsigned a, unsigned b, bool* is_first) { *is_first = a <= b; return min(a, b); }
//@ __vibmin_u16x2
__device__ inline unsigned __vibmin_u16x2(unsigned a, unsigned b, bool* is_high, bool* is_low)
{
    *is_high = (unsigned short)(a >> 16) <= (unsigned short)(b >> 16);
    *is_low = (unsigned short)a <= (unsigned short)b;
    return __vminu2(a, b);
}
//@ __nv_bswap16
__device__ inline unsigned short __nv_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
//@ __nv_bswap32
__device__ inline unsigned __nv_bswap32(unsigned x) { return __byte_perm(x, 0, 0x0123); }
//@ __nv_bswap64
__device__ inline unsigned long long __nv_bswap64(unsigned long long x)
{
    return (unsigned long long)__byte_perm((unsigned)x, 0, 0x0123) << 32 | __byte_perm((unsigned)(x >> 32), 0, 0x0123);
}
//@ __hadd
__device__ inline int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
//@ __rhadd
__device__ inline int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
//@ __uhadd
__device__ inline unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
//@ __urhadd
__device__ inline unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }
//@ __sincosf
__device__ inline void __sincosf(float x, float* sine, float* cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
//@ __dp4a
__device__ inline int __dp4a(int x, int y, int sum)
{
    int result;
    asm volatile("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}
__device__ inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum)
{
    unsigned result;
    asm volatile("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}
__device__ inline int __dp4a(char4 x, char4 y, int sum)
{
    int result;
    asm volatile("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(*(const int*)&x), "r"(*(const int*)&y), "r"(sum));
    return result;
}
__device__ inline unsigned __dp4a(uchar4 x, uchar4 y, unsigned sum)
{
    unsigned result;
    asm volatile("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(*(const unsigned*)&x), "r"(*(const unsigned*)&y), "r"(sum));
    return result;
}
//@ __dp2a_lo
__device__ inline int __dp2a_lo(int x, int y, int sum)
{
    int result;
    asm volatile("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}
__device__ inline unsigned __dp2a_lo(unsigned x, unsigned y, unsigned sum)
{
    unsigned result;
    asm volatile("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}
__device__ inline int __dp2a_lo(short2 x, char4 y, int sum)
{
    int result;
    asm volatile("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(*(const int*)&x), "r"(*(const int*)&y), "r"(sum));
    return result;
}
__device__ inline unsigned __dp2a_lo(ushort2 x, uchar4 y, unsigned sum)
{
    unsigned result;
    asm volatile("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(*(const unsigned*)&x), "r"(*(const unsigned*)&y), "r"(sum));
    return result;
}
//@ __dp2a_hi
__device__ inline int __dp2a_hi(int x, int y, int sum)
{
    int result;
    asm volatile("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}
__device__ inline unsigned __dp2a_hi(unsigned x, unsigned y, unsigned sum)
{
    unsigned result;
    asm volatile("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}
__device__ inline int __dp2a_hi(short2 x, char4 y, int sum)
{
    int result;
    asm volatile("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(*(const int*)&x), "r"(*(const int*)&y), "r"(sum));
    return result;
}
__device__ inline unsigned __dp2a_hi(ushort2 x, uchar4 y, unsigned sum)
{
    unsigned result;
    asm volatile("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(*(const unsigned*)&x), "r"(*(const unsigned*)&y), "r"(sum));
    return result;
}
//@ atomicCAS
__device__ inline unsigned short atomicCAS(unsigned short* to, unsigned short expected, unsigned short v)
{
    unsigned short before;
    asm volatile("atom@space.cas.b16 %0, [%1], %2, %3;" : "=h"(before) : "l"(to), "h"(expected), "h"(v) : "memory");
    return before;
}
