// launch: --grid 1 --block 32 --arg f16[256]=random:1 --arg f16[256]=random:2 --arg f32[256]=zero
#include <mma.h>
using namespace nvcuda;
__global__ void tile(const half* a, const half* b, float* c) {
    __shared__ __align__(32) half sa[16][24];
    __shared__ __align__(32) half sb[16 * 16];
    for (int i = threadIdx.x; i < 256; i += 32) { sa[i / 16][i % 16] = a[i]; sb[i] = b[i]; }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, &sa[0][0], 24);
    wmma::load_matrix_sync(fb, sb, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 0.5f;
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
