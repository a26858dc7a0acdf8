// Matrix fragments of a warp, in both orders and with sums of both types.
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void test(const unsigned* in, unsigned* out)
{
    __shared__ __align__(32) half a[256], b[256];
    __shared__ __align__(32) float c[256];
    __shared__ __align__(32) half d[256];
    for (unsigned i = threadIdx.x; i < 256; i += 32) {
        a[i] = __float2half((float)(in[i % 64] % 17) * 0.25f + i % 5);
        b[i] = __float2half((float)(in[(i + 7) % 64] % 13) * 0.5f - i % 3);
        d[i] = __float2half((float)(i % 7));
    }
    __syncwarp();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> halves;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> of_b;
    wmma::fill_fragment(sums, 1.5f);
    wmma::load_matrix_sync(of_a, a, 16);
    wmma::load_matrix_sync(of_b, b, 16);
    wmma::mma_sync(sums, of_a, of_b, sums);
    for (int i = 0; i < sums.num_elements; i++)
        sums.x[i] *= 0.5f;
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(halves, d, 16, wmma::mem_row_major);
    wmma::mma_sync(halves, of_a, of_b, halves);
    wmma::store_matrix_sync(d, halves, 16, wmma::mem_col_major);
    __syncwarp();
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        out[i] = __float_as_uint(c[i]) ^ __half_as_ushort(d[i]);
}
