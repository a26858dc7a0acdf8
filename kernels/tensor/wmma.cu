// C = A · B on tensor cores by the warp's matrix instructions: a warp for each tile of 16 × 16 of C
// loads 16 × 16 of A and of B straight from global memory, and multiplies them in one instruction.
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_f16(const __half* __restrict__ a, const __half* __restrict__ b,
                                    float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    const unsigned row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (unsigned from = 0; from < k; from += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> of_a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> of_b;
        wmma::load_matrix_sync(of_a, a + row * k + from, k);
        wmma::load_matrix_sync(of_b, b + from * n + column, n);
        wmma::mma_sync(sums, of_a, of_b, sums);
    }
    wmma::store_matrix_sync(c + row * n + column, sums, n, wmma::mem_row_major);
}
