//# arch compute_80
// Matrix fragments of all types but half, in several shapes and orders.
#include <mma.h>
using namespace nvcuda;

template <typename T, typename Kept, typename Sum, int m, int n, int k, typename LA, typename LB>
__device__ void product(const Kept* a, const Kept* b, Sum* sums, unsigned* out)
{
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> of_a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> of_b;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> of_sums;
    wmma::load_matrix_sync(of_a, a, 32);
    wmma::load_matrix_sync(of_b, b, 32);
    wmma::fill_fragment(of_sums, (Sum)3);
    wmma::mma_sync(of_sums, of_a, of_b, of_sums);
    for (int i = 0; i < of_sums.num_elements; i++)
        of_sums.x[i] = of_sums.x[i] + (Sum)of_a.num_elements;
    wmma::store_matrix_sync(sums, of_sums, 32, wmma::mem_row_major);
    __syncwarp();
    for (int i = 0; i < of_sums.num_elements; i++)
        out[i] = (unsigned)(int)sums[(threadIdx.x * of_sums.num_elements + i) / n * 32 + (threadIdx.x * of_sums.num_elements + i) % n];
    __syncwarp();
}

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    __shared__ __align__(32) __nv_bfloat16 bfloats[1024];
    __shared__ __align__(32) float floats[1024], sums[1024];
    __shared__ __align__(32) signed char bytes[1024];
    __shared__ __align__(32) double doubles[512], double_sums[512];
    __shared__ __align__(32) int integers[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += 32) {
        const float x = (float)(in[i % 64] % 17) * 0.25f - i % 5;
        bfloats[i] = __float2bfloat16(x);
        floats[i] = wmma::__float_to_tf32(x * 1.0173f);
        bytes[i] = (signed char)(in[i % 64] * 7 + i * 11);
        if (i < 512)
            doubles[i] = x * 0.337;
    }
    __syncwarp();
    unsigned* to = out + (blockIdx.x * 32 + threadIdx.x) * 64;
    using namespace wmma;
    product<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16, row_major, col_major>(bfloats, bfloats, sums, to);
    product<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16, row_major, row_major>(bfloats, bfloats, sums, to + 8);
    product<precision::tf32, float, float, 16, 16, 8, row_major, col_major>(floats, floats, sums, to + 16);
    product<signed char, signed char, int, 8, 32, 16, col_major, col_major>(bytes, bytes, integers, to + 24);
    product<unsigned char, unsigned char, int, 16, 16, 16, row_major, row_major>((const unsigned char*)bytes, (const unsigned char*)bytes, integers, to + 32);
    product<double, double, double, 8, 8, 4, row_major, col_major>(doubles, doubles, double_sums, to + 40);
}
