// Matrix fragments of a warp, multiplied by tensor cores. In the PTX here a name between `@` is that of an argument of the
// template, and becomes its number, or what PTX calls the type; `@where@` is the space of the address, as far as NVRTC tells.
namespace nvcuda {
namespace wmma {
struct matrix_a { };
struct matrix_b { };
struct accumulator { };
struct row_major { };
struct col_major { };
namespace precision { struct tf32 { char x; }; }
struct __no_layout { };
enum layout_t { mem_row_major, mem_col_major };

// Of each type: what a fragment holds of it, the elements along k, and how many of them a register holds.
template <typename T> struct __kind { using type = T; static constexpr int depth = 0, packed = 1, doubled = 1; };
template <> struct __kind<__half> { using type = __half; static constexpr int depth = 16, packed = 2, doubled = 2; };
template <> struct __kind<__nv_bfloat16> { using type = __nv_bfloat16; static constexpr int depth = 16, packed = 2, doubled = 1; };
template <> struct __kind<signed char> { using type = signed char; static constexpr int depth = 16, packed = 4, doubled = 1; };
template <> struct __kind<unsigned char> { using type = unsigned char; static constexpr int depth = 16, packed = 4, doubled = 1; };
template <> struct __kind<precision::tf32> { using type = float; static constexpr int depth = 8, packed = 1, doubled = 1; };
template <> struct __kind<double> { using type = double; static constexpr int depth = 4, packed = 1, doubled = 1; };

// The elements of a fragment that each lane has. Those of half precision lie there twice if they are factors.
template <typename Use, int m, int n, int k, typename T> struct __fragment_elements { static constexpr int of = m * n / 32; };
template <int m, int n, int k, typename T> struct __fragment_elements<matrix_a, m, n, k, T> { static constexpr int of = __kind<T>::doubled == 2 ? 16 : m * k / 32; };
template <int m, int n, int k, typename T> struct __fragment_elements<matrix_b, m, n, k, T> { static constexpr int of = __kind<T>::doubled == 2 ? 16 : k * n / 32; };

template <typename Use, int m, int n, int k, typename T, typename Layout = __no_layout> struct fragment {
    static_assert((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32) || (m == 8 && n == 8 && k == 4), "a fragment of this shape");
    static_assert(k == 16 || (k == 8 && m == 16) || (k == 4 && m == 8), "a fragment of this shape");
    static_assert(__kind<T>::depth == 0 || __kind<T>::depth == k || (sizeof(T) == 8 && k == 4) || (sizeof(T) == 2 && k == 16), "a fragment of this shape with this type");
    static constexpr int num_elements = __fragment_elements<Use, m, n, k, T>::of;
    typename __kind<T>::type x[num_elements];
};

template <typename F> __device__ inline unsigned __packed(const F& f, int i)
{
    if constexpr (sizeof(f.x[0]) == 2)
        return f.x[2 * i].__x | (unsigned)f.x[2 * i + 1].__x << 16;
    else if constexpr (sizeof(f.x[0]) == 1)
        return (unsigned char)f.x[4 * i] | (unsigned)(unsigned char)f.x[4 * i + 1] << 8 | (unsigned)(unsigned char)f.x[4 * i + 2] << 16 | (unsigned)f.x[4 * i + 3] << 24;
    else
        return __float_as_uint(f.x[i]);
}
template <typename F> __device__ inline void __unpack(F& f, int i, unsigned bits)
{
    if constexpr (sizeof(f.x[0]) == 2) {
        f.x[2 * i].__x = (unsigned short)bits;
        f.x[2 * i + 1].__x = (unsigned short)(bits >> 16);
    } else if constexpr (sizeof(f.x[0]) == 1) {
        for (int part = 0; part < 4; part++)
            f.x[4 * i + part] = (unsigned char)(bits >> (8 * part));
    } else {
        f.x[i] = __uint_as_float(bits);
    }
}

template <typename Use, int m, int n, int k, typename T, typename L, typename V>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, L>& f, V v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = (typename __kind<T>::type)v;
}

template <typename Use, int m, int n, int k, typename T, typename L>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, L>& f, const typename __kind<T>::type* from, unsigned stride)
{
    constexpr int registers = f.num_elements / __kind<T>::packed;
    unsigned r[8];
    if constexpr (sizeof(f.x[0]) == 8)
        asm volatile("wmma.load.@Use@.sync.aligned.@L@.m@m@n@n@k@k@@where@.f64 {%0}, [%1], %2;" : "=d"(f.x[0]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (registers == 8)
        asm volatile("wmma.load.@Use@.sync.aligned.@L@.m@m@n@n@k@k@@where@.@T@ {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (registers == 4)
        asm volatile("wmma.load.@Use@.sync.aligned.@L@.m@m@n@n@k@k@@where@.@T@ {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (registers == 2)
        asm volatile("wmma.load.@Use@.sync.aligned.@L@.m@m@n@n@k@k@@where@.@T@ {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(from), "r"(stride) : "memory");
    else
        asm volatile("wmma.load.@Use@.sync.aligned.@L@.m@m@n@n@k@k@@where@.@T@ {%0}, [%1], %2;" : "=r"(r[0]) : "l"(from), "r"(stride) : "memory");
    if constexpr (sizeof(f.x[0]) != 8)
        for (int i = 0; i < registers; i++)
            __unpack(f, i, r[i]);
}

template <typename L, int m, int n, int k, typename T>
__device__ inline void __load_sums(fragment<accumulator, m, n, k, T>& f, const T* from, unsigned stride)
{
    if constexpr (sizeof(T) == 8) {
        asm volatile("wmma.load.c.sync.aligned.@L@.m@m@n@n@k@k@@where@.f64 {%0, %1}, [%2], %3;" : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(from), "r"(stride) : "memory");
    } else if constexpr (sizeof(T) == 2) {
        unsigned r[4];
        asm volatile("wmma.load.c.sync.aligned.@L@.m@m@n@n@k@k@@where@.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
        for (int i = 0; i < 4; i++)
            __unpack(f, i, r[i]);
    } else if constexpr ((T)0.5f == (T)0) {
        asm volatile("wmma.load.c.sync.aligned.@L@.m@m@n@n@k@k@@where@.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(f.x[0]), "=r"(f.x[1]), "=r"(f.x[2]), "=r"(f.x[3]), "=r"(f.x[4]), "=r"(f.x[5]), "=r"(f.x[6]), "=r"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    } else {
        asm volatile("wmma.load.c.sync.aligned.@L@.m@m@n@n@k@k@@where@.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    }
}
template <int m, int n, int k, typename T>
__device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from, unsigned stride, layout_t layout)
{
    if (layout == mem_row_major)
        __load_sums<row_major>(f, from, stride);
    else
        __load_sums<col_major>(f, from, stride);
}

template <typename L, int m, int n, int k, typename T>
__device__ inline void __store_sums(T* to, const fragment<accumulator, m, n, k, T>& f, unsigned stride)
{
    if constexpr (sizeof(T) == 8)
        asm volatile("wmma.store.d.sync.aligned.@L@.m@m@n@n@k@k@@where@.f64 [%0], {%1, %2}, %3;" : : "l"(to), "d"(f.x[0]), "d"(f.x[1]), "r"(stride) : "memory");
    else if constexpr (sizeof(T) == 2)
        asm volatile("wmma.store.d.sync.aligned.@L@.m@m@n@n@k@k@@where@.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(__packed(f, 0)), "r"(__packed(f, 1)), "r"(__packed(f, 2)), "r"(__packed(f, 3)), "r"(stride) : "memory");
    else if constexpr ((T)0.5f == (T)0)
        asm volatile("wmma.store.d.sync.aligned.@L@.m@m@n@n@k@k@@where@.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "r"(f.x[0]), "r"(f.x[1]), "r"(f.x[2]), "r"(f.x[3]), "r"(f.x[4]), "r"(f.x[5]), "r"(f.x[6]), "r"(f.x[7]), "r"(stride) : "memory");
    else
        asm volatile("wmma.store.d.sync.aligned.@L@.m@m@n@n@k@k@@where@.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
}
template <int m, int n, int k, typename T>
__device__ inline void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f, unsigned stride, layout_t layout)
{
    if (layout == mem_row_major)
        __store_sums<row_major>(to, f, stride);
    else
        __store_sums<col_major>(to, f, stride);
}

template <int m, int n, int k, typename D, typename T, typename LA, typename LB, typename C>
__device__ inline void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LA>& a, const fragment<matrix_b, m, n, k, T, LB>& b, const fragment<accumulator, m, n, k, C>& c, bool saturates = false)
{
    if constexpr (sizeof(T) == 8) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));
    } else if constexpr (__kind<T>::doubled == 2 && sizeof(D) == 4 && sizeof(C) == 4) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(a, 4)), "r"(__packed(a, 5)), "r"(__packed(a, 6)), "r"(__packed(a, 7)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(__packed(b, 4)), "r"(__packed(b, 5)), "r"(__packed(b, 6)), "r"(__packed(b, 7)), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    } else if constexpr (__kind<T>::doubled == 2 && sizeof(D) == 4 && sizeof(C) == 2) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(a, 4)), "r"(__packed(a, 5)), "r"(__packed(a, 6)), "r"(__packed(a, 7)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(__packed(b, 4)), "r"(__packed(b, 5)), "r"(__packed(b, 6)), "r"(__packed(b, 7)), "r"(__packed(c, 0)), "r"(__packed(c, 1)), "r"(__packed(c, 2)), "r"(__packed(c, 3)));
    } else if constexpr (__kind<T>::doubled == 2 && sizeof(D) == 2 && sizeof(C) == 4) {
        unsigned r[4];
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(a, 4)), "r"(__packed(a, 5)), "r"(__packed(a, 6)), "r"(__packed(a, 7)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(__packed(b, 4)), "r"(__packed(b, 5)), "r"(__packed(b, 6)), "r"(__packed(b, 7)), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
        for (int i = 0; i < 4; i++)
            __unpack(d, i, r[i]);
    } else if constexpr (__kind<T>::doubled == 2 && sizeof(D) == 2 && sizeof(C) == 2) {
        unsigned r[4];
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(a, 4)), "r"(__packed(a, 5)), "r"(__packed(a, 6)), "r"(__packed(a, 7)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(__packed(b, 4)), "r"(__packed(b, 5)), "r"(__packed(b, 6)), "r"(__packed(b, 7)), "r"(__packed(c, 0)), "r"(__packed(c, 1)), "r"(__packed(c, 2)), "r"(__packed(c, 3)));
        for (int i = 0; i < 4; i++)
            __unpack(d, i, r[i]);
    } else if constexpr (__kind<T>::packed == 2 && m == 16) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f32.@T@.@T@.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    } else if constexpr (__kind<T>::packed == 2 && m == 32) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f32.@T@.@T@.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(a, 4)), "r"(__packed(a, 5)), "r"(__packed(a, 6)), "r"(__packed(a, 7)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    } else if constexpr (__kind<T>::packed == 2 && m == 8) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f32.@T@.@T@.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(__packed(b, 4)), "r"(__packed(b, 5)), "r"(__packed(b, 6)), "r"(__packed(b, 7)), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    } else if constexpr (__kind<T>::packed == 1 && m == 16) {
        asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.f32.@T@.@T@.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    } else if constexpr (__kind<T>::packed == 4 && m == 16) {
        if (saturates)
            asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.s32.@T@.@T@.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(d.x[0]), "=r"(d.x[1]), "=r"(d.x[2]), "=r"(d.x[3]), "=r"(d.x[4]), "=r"(d.x[5]), "=r"(d.x[6]), "=r"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(c.x[0]), "r"(c.x[1]), "r"(c.x[2]), "r"(c.x[3]), "r"(c.x[4]), "r"(c.x[5]), "r"(c.x[6]), "r"(c.x[7]));
        else
            asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.s32.@T@.@T@.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(d.x[0]), "=r"(d.x[1]), "=r"(d.x[2]), "=r"(d.x[3]), "=r"(d.x[4]), "=r"(d.x[5]), "=r"(d.x[6]), "=r"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(c.x[0]), "r"(c.x[1]), "r"(c.x[2]), "r"(c.x[3]), "r"(c.x[4]), "r"(c.x[5]), "r"(c.x[6]), "r"(c.x[7]));
    } else if constexpr (__kind<T>::packed == 4 && m == 32) {
        if (saturates)
            asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.s32.@T@.@T@.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(d.x[0]), "=r"(d.x[1]), "=r"(d.x[2]), "=r"(d.x[3]), "=r"(d.x[4]), "=r"(d.x[5]), "=r"(d.x[6]), "=r"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(b, 0)), "r"(c.x[0]), "r"(c.x[1]), "r"(c.x[2]), "r"(c.x[3]), "r"(c.x[4]), "r"(c.x[5]), "r"(c.x[6]), "r"(c.x[7]));
        else
            asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.s32.@T@.@T@.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(d.x[0]), "=r"(d.x[1]), "=r"(d.x[2]), "=r"(d.x[3]), "=r"(d.x[4]), "=r"(d.x[5]), "=r"(d.x[6]), "=r"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(a, 1)), "r"(__packed(a, 2)), "r"(__packed(a, 3)), "r"(__packed(b, 0)), "r"(c.x[0]), "r"(c.x[1]), "r"(c.x[2]), "r"(c.x[3]), "r"(c.x[4]), "r"(c.x[5]), "r"(c.x[6]), "r"(c.x[7]));
    } else if constexpr (__kind<T>::packed == 4 && m == 8) {
        if (saturates)
            asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.s32.@T@.@T@.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(d.x[0]), "=r"(d.x[1]), "=r"(d.x[2]), "=r"(d.x[3]), "=r"(d.x[4]), "=r"(d.x[5]), "=r"(d.x[6]), "=r"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(c.x[0]), "r"(c.x[1]), "r"(c.x[2]), "r"(c.x[3]), "r"(c.x[4]), "r"(c.x[5]), "r"(c.x[6]), "r"(c.x[7]));
        else
            asm volatile("wmma.mma.sync.aligned.@LA@.@LB@.m@m@n@n@k@k@.s32.@T@.@T@.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(d.x[0]), "=r"(d.x[1]), "=r"(d.x[2]), "=r"(d.x[3]), "=r"(d.x[4]), "=r"(d.x[5]), "=r"(d.x[6]), "=r"(d.x[7]) : "r"(__packed(a, 0)), "r"(__packed(b, 0)), "r"(__packed(b, 1)), "r"(__packed(b, 2)), "r"(__packed(b, 3)), "r"(c.x[0]), "r"(c.x[1]), "r"(c.x[2]), "r"(c.x[3]), "r"(c.x[4]), "r"(c.x[5]), "r"(c.x[6]), "r"(c.x[7]));
    }
}
__device__ inline float __float_to_tf32(float v) { unsigned r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v)); return __uint_as_float(r); }
}
}
