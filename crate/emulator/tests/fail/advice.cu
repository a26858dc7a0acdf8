// Mistakes whose twins do what the finding's words advise, to the letter: each must then be right.

#include <cuda_fp16.h>
#include <mma.h>

//# mistake branch_of_one_warp: the lanes of a warp exchange values in a branch that only this warp takes
//# launch --grid 1 --block 64 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 reversed_plus_one
extern "C" __global__ void branch_of_one_warp(const int* in, int* out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    if (i < 32) {
        tile[i] = in[i] + 1; // MISTAKE
#ifdef FIXED
        __syncwarp();
#endif
        out[i] = tile[31 - i]; // MISTAKE
    }
}

//# mistake scan_in_one_line: a step of a scan loads and stores in one line
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 1 running_sums
extern "C" __global__ void scan_in_one_line(const int* in, int* out) {
    __shared__ int sums[64];
    int i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
#ifdef FIXED
        int before = i >= d ? sums[i - d] : 0;
        __syncthreads();
        sums[i] += before;
#else
        if (i >= d) sums[i] += sums[i - d]; // MISTAKE
#endif
        __syncthreads();
    }
    out[i] = sums[i];
}

//# mistake largest_of_twenty: lanes that are not there take part in a maximum of negative numbers
//# launch --grid 1 --block 20 --arg i32[20]=iota --arg i32[1]=poison --arg i32=20
//# fixed --grid 1 --block 32 --arg i32[20]=iota --arg i32[1]=poison --arg i32=20
//# finds mask
//# gives 1 answer
extern "C" __global__ void largest_of_twenty(const int* in, int* out, int n) {
    int i = threadIdx.x;
    int most = i < n ? -42 - in[i] : -2147483647 - 1;
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(0xffffffff, most, d); // MISTAKE
        most = other > most ? other : most;
    }
    if (i == 0) out[0] = -most;
}

//# mistake leading_dimension: the rows of a tile for `wmma` are no multiple of 16 bytes
//# launch --grid 1 --block 32 --arg f32[256]=iota --arg f32[256]=poison
//# finds misaligned
//# gives 1 copy
extern "C" __global__ void leading_dimension(const float* in, float* out) {
#ifdef FIXED
    const int pitch = 24;
#else
    const int pitch = 20;
#endif
    __shared__ __align__(32) half tile[16 * pitch], one[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        tile[i / 16 * pitch + i % 16] = __float2half(in[i]);
        one[i] = __float2half(i / 16 == i % 16 ? 1.0f : 0.0f);
    }
    __syncwarp();
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, tile, pitch); // MISTAKE
    wmma::load_matrix_sync(b, one, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}

//# mistake leading_dimension_of_sums: the rows to which `wmma` stores are multiples of 8 bytes, and must be of 16
//# launch --grid 1 --block 32 --arg f32[256]=iota --arg f32[256]=poison
//# finds misaligned
//# gives 1 copy
extern "C" __global__ void leading_dimension_of_sums(const float* in, float* out) {
#ifdef FIXED
    const int pitch = 20;
#else
    const int pitch = 18;
#endif
    __shared__ __align__(32) half tile[256], one[256];
    __shared__ __align__(32) float sums[16 * pitch];
    for (int i = threadIdx.x; i < 256; i += 32) {
        tile[i] = __float2half(in[i]);
        one[i] = __float2half(i / 16 == i % 16 ? 1.0f : 0.0f);
    }
    __syncwarp();
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, tile, 16);
    wmma::load_matrix_sync(b, one, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(sums, c, pitch, wmma::mem_row_major); // MISTAKE
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = sums[i / 16 * pitch + i % 16];
}

//# mistake start_of_a_tile: a tile for `wmma` begins at no multiple of 32 bytes
//# launch --grid 1 --block 32 --arg f32[256]=iota --arg f32[256]=poison
//# finds misaligned uninitialized
//# gives 1 copy
extern "C" __global__ void start_of_a_tile(const float* in, float* out) {
#ifdef FIXED
    const int start = 8;
#else
    const int start = 1;
#endif
    __shared__ __align__(32) float tile[256 + 8];
    using namespace nvcuda;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(c, in, 16, wmma::mem_row_major);
    wmma::store_matrix_sync(tile + start, c, 16, wmma::mem_row_major); // MISTAKE
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = tile[start + i]; // MISTAKE
}

//# mistake rows_of_ldmatrix: the padded rows of a tile for `ldmatrix` are no multiple of 16 bytes
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds misaligned
//# gives 1 copy
extern "C" __global__ void rows_of_ldmatrix(const int* in, int* out) {
#ifdef FIXED
    const int pitch = 8;
#else
    const int pitch = 5;
#endif
    __shared__ __align__(16) int tile[8 * pitch];
    int i = threadIdx.x, value;
    tile[i / 4 * pitch + i % 4] = in[i];
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[i % 8 * pitch]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(value) : "r"(row) : "memory"); // MISTAKE
    out[i] = value;
}

//# mistake carved_doubles: an array of doubles is carved out behind an odd number of floats
//# launch --grid 1 --block 32 --shared 400 --arg i32[32]=iota --arg i32[32]=poison
//# finds misaligned
//# gives 1 doubled
extern "C" __global__ void carved_doubles(const int* in, int* out) {
    extern __shared__ __align__(16) char carved[];
#ifdef FIXED
    double* wide = (double*)carved;
    float* narrow = (float*)(wide + 32);
#else
    float* narrow = (float*)carved;
    double* wide = (double*)(narrow + 33);
#endif
    int i = threadIdx.x;
    narrow[i] = in[i];
    wide[i] = in[i]; // MISTAKE
    __syncwarp();
    out[31 - i] = narrow[31 - i] + wide[31 - i]; // MISTAKE
}

//# mistake in_place_beside_bytes: blocks that work in place, in a kernel that reads bytes too
//# launch --grid 2 --block 32 --arg i32[65]=iota --arg i32[64]=zero --arg u8[1]=zero
//# finds race
//# gives 1 neighbours_added
extern "C" __global__ void in_place_beside_bytes(int* x, int* out, const unsigned char* more) {
    int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
    out[i] = x[i] + x[i + 1] + more[0];
#else
    x[i] = x[i] + x[i + 1] + more[0]; // MISTAKE
#endif
}
