// launch: --grid 1 --block 64 --arg f32[320]=zero
// finds: race
#include <mma.h>
using namespace nvcuda;
__global__ void f(float* c) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    int w = threadIdx.x / 32;
    wmma::fill_fragment(fc, (float)w);
    wmma::store_matrix_sync(c + w * 16 * 3, fc, 16, wmma::mem_row_major); //!
}
