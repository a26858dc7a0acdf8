// Matrix fragments of a warp: multiplied by tensor cores. Of half precision.
namespace nvcuda {
namespace wmma {
struct matrix_a { static constexpr int elements = 16; };
struct matrix_b { static constexpr int elements = 16; };
struct accumulator { static constexpr int elements = 8; };
struct row_major { static constexpr bool is_row = true; };
struct col_major { static constexpr bool is_row = false; };
namespace precision { struct tf32 { char x; }; }
struct __no_layout { static constexpr bool is_row = true; };
enum layout_t { mem_row_major, mem_col_major };

template <typename Use, int m, int n, int k, typename T, typename Layout = __no_layout> struct fragment {
    static_assert((m == 16 && n == 16 && k == 16) || (m == 32 && n == 8 && k == 16) || (m == 8 && n == 32 && k == 16),
                  "a fragment of other than 16, 16, 16 or 32, 8, 16 or 8, 32, 16");
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "a fragment of other than half or float");
    static constexpr int num_elements = Use::elements;
    T x[Use::elements];
};

template <typename Use, int m, int n, int k, typename T, typename L, typename V>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, L>& f, V v)
{
    for (int i = 0; i < Use::elements; i++)
        f.x[i] = (T)v;
}
template <int m, int n, int k, typename L>
__device__ inline void load_matrix_sync(fragment<matrix_a, m, n, k, __half, L>& f, const __half* from, unsigned stride)
{
    unsigned r[8];
    if constexpr (m == 16 && L::is_row)
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 16 && !L::is_row)
        asm volatile("wmma.load.a.sync.aligned.col.m16n16k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 32 && L::is_row)
        asm volatile("wmma.load.a.sync.aligned.row.m32n8k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 32 && !L::is_row)
        asm volatile("wmma.load.a.sync.aligned.col.m32n8k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 8 && L::is_row)
        asm volatile("wmma.load.a.sync.aligned.row.m8n32k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 8 && !L::is_row)
        asm volatile("wmma.load.a.sync.aligned.col.m8n32k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    for (int i = 0; i < 8; i++) { f.x[2 * i] = __ushort_as_half((unsigned short)r[i]); f.x[2 * i + 1] = __ushort_as_half((unsigned short)(r[i] >> 16)); }
}
template <int m, int n, int k, typename L>
__device__ inline void load_matrix_sync(fragment<matrix_b, m, n, k, __half, L>& f, const __half* from, unsigned stride)
{
    unsigned r[8];
    if constexpr (m == 16 && L::is_row)
        asm volatile("wmma.load.b.sync.aligned.row.m16n16k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 16 && !L::is_row)
        asm volatile("wmma.load.b.sync.aligned.col.m16n16k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 32 && L::is_row)
        asm volatile("wmma.load.b.sync.aligned.row.m32n8k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 32 && !L::is_row)
        asm volatile("wmma.load.b.sync.aligned.col.m32n8k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 8 && L::is_row)
        asm volatile("wmma.load.b.sync.aligned.row.m8n32k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    else if constexpr (m == 8 && !L::is_row)
        asm volatile("wmma.load.b.sync.aligned.col.m8n32k16@space.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(from), "r"(stride) : "memory");
    for (int i = 0; i < 8; i++) { f.x[2 * i] = __ushort_as_half((unsigned short)r[i]); f.x[2 * i + 1] = __ushort_as_half((unsigned short)(r[i] >> 16)); }
}
template <int m, int n, int k>
__device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, float>& f, const float* from, unsigned stride, layout_t layout)
{
    
    if (m == 16 && layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m16n16k16@space.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    else if (m == 16 && layout == mem_col_major)
        asm volatile("wmma.load.c.sync.aligned.col.m16n16k16@space.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m32n8k16@space.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_col_major)
        asm volatile("wmma.load.c.sync.aligned.col.m32n8k16@space.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m8n32k16@space.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_col_major)
        asm volatile("wmma.load.c.sync.aligned.col.m8n32k16@space.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(from), "r"(stride) : "memory");
}
template <int m, int n, int k>
__device__ inline void store_matrix_sync(float* to, const fragment<accumulator, m, n, k, float>& f, unsigned stride, layout_t layout)
{
    if (m == 16 && layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m16n16k16@space.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
    else if (m == 16 && layout == mem_col_major)
        asm volatile("wmma.store.d.sync.aligned.col.m16n16k16@space.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m32n8k16@space.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_col_major)
        asm volatile("wmma.store.d.sync.aligned.col.m32n8k16@space.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m8n32k16@space.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_col_major)
        asm volatile("wmma.store.d.sync.aligned.col.m8n32k16@space.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" : : "l"(to), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(stride) : "memory");
}
template <int m, int n, int k, typename LA, typename LB>
__device__ inline void mma_sync(fragment<accumulator, m, n, k, float>& d, const fragment<matrix_a, m, n, k, __half, LA>& a, const fragment<matrix_b, m, n, k, __half, LB>& b, const fragment<accumulator, m, n, k, float>& c)
{
    unsigned ra[8], rb[8];
    for (int i = 0; i < 8; i++) {
        ra[i] = a.x[2 * i].__x | (unsigned)a.x[2 * i + 1].__x << 16;
        rb[i] = b.x[2 * i].__x | (unsigned)b.x[2 * i + 1].__x << 16;
    }
    if constexpr (m == 16 && LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 16 && LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 16 && !LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 16 && !LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 32 && LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 32 && LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 32 && !LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 32 && !LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 8 && LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 8 && LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 8 && !LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
    else if constexpr (m == 8 && !LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]), "f"(c.x[4]), "f"(c.x[5]), "f"(c.x[6]), "f"(c.x[7]));
}
template <int m, int n, int k>
__device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, __half>& f, const __half* from, unsigned stride, layout_t layout)
{
    unsigned r[4];
    if (m == 16 && layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m16n16k16@space.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    else if (m == 16 && layout == mem_col_major)
        asm volatile("wmma.load.c.sync.aligned.col.m16n16k16@space.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m32n8k16@space.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_col_major)
        asm volatile("wmma.load.c.sync.aligned.col.m32n8k16@space.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_row_major)
        asm volatile("wmma.load.c.sync.aligned.row.m8n32k16@space.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_col_major)
        asm volatile("wmma.load.c.sync.aligned.col.m8n32k16@space.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from), "r"(stride) : "memory");
    for (int i = 0; i < 4; i++) { f.x[2 * i] = __ushort_as_half((unsigned short)r[i]); f.x[2 * i + 1] = __ushort_as_half((unsigned short)(r[i] >> 16)); }
}
template <int m, int n, int k>
__device__ inline void store_matrix_sync(__half* to, const fragment<accumulator, m, n, k, __half>& f, unsigned stride, layout_t layout)
{
    unsigned r[4];
    for (int i = 0; i < 4; i++)
        r[i] = f.x[2 * i].__x | (unsigned)f.x[2 * i + 1].__x << 16;
    if (m == 16 && layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m16n16k16@space.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride) : "memory");
    else if (m == 16 && layout == mem_col_major)
        asm volatile("wmma.store.d.sync.aligned.col.m16n16k16@space.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m32n8k16@space.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride) : "memory");
    else if (m == 32 && layout == mem_col_major)
        asm volatile("wmma.store.d.sync.aligned.col.m32n8k16@space.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_row_major)
        asm volatile("wmma.store.d.sync.aligned.row.m8n32k16@space.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride) : "memory");
    else if (m == 8 && layout == mem_col_major)
        asm volatile("wmma.store.d.sync.aligned.col.m8n32k16@space.f16 [%0], {%1, %2, %3, %4}, %5;" : : "l"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(stride) : "memory");
}
template <int m, int n, int k, typename LA, typename LB>
__device__ inline void mma_sync(fragment<accumulator, m, n, k, __half>& d, const fragment<matrix_a, m, n, k, __half, LA>& a, const fragment<matrix_b, m, n, k, __half, LB>& b, const fragment<accumulator, m, n, k, __half>& c)
{
    unsigned ra[8], rb[8];
    for (int i = 0; i < 8; i++) {
        ra[i] = a.x[2 * i].__x | (unsigned)a.x[2 * i + 1].__x << 16;
        rb[i] = b.x[2 * i].__x | (unsigned)b.x[2 * i + 1].__x << 16;
    }
    unsigned rc[4], rd[4];
    for (int i = 0; i < 4; i++)
        rc[i] = c.x[2 * i].__x | (unsigned)c.x[2 * i + 1].__x << 16;
    if constexpr (m == 16 && LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 16 && LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 16 && !LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 16 && !LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 32 && LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 32 && LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 32 && !LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 32 && !LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 8 && LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 8 && LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 8 && !LA::is_row && LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    else if constexpr (m == 8 && !LA::is_row && !LB::is_row)
        asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(rd[0]), "=r"(rd[1]), "=r"(rd[2]), "=r"(rd[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(ra[4]), "r"(ra[5]), "r"(ra[6]), "r"(ra[7]), "r"(rb[0]), "r"(rb[1]), "r"(rb[2]), "r"(rb[3]), "r"(rb[4]), "r"(rb[5]), "r"(rb[6]), "r"(rb[7]), "r"(rc[0]), "r"(rc[1]), "r"(rc[2]), "r"(rc[3]));
    for (int i = 0; i < 4; i++) { d.x[2 * i] = __ushort_as_half((unsigned short)rd[i]); d.x[2 * i + 1] = __ushort_as_half((unsigned short)(rd[i] >> 16)); }
}
}
}
