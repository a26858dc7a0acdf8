// Matrix products by tensor cores, through wmma and through mma with ldmatrix; sizes are multiples of the tiles.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// One warp a 16x16 tile of C, straight from global memory. A and B are row-major.
extern "C" __global__ void wmma_global(const half* a, const half* b, float* c, int m, int n, int k) {
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int row = tile / (n / 16) * 16, column = tile % (n / 16) * 16;
    if (row >= m) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + column, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// 32x32 tiles of C for four warps, A and B through padded shared memory. C is scaled and added to, element by element.
extern "C" __global__ void wmma_shared(const half* a, const half* b, float* c, int m, int n, int k, float alpha, float beta) {
    constexpr int LINE = 40;
    __shared__ __align__(32) half as[32 * LINE], bs[32 * LINE];
    int warp = threadIdx.x / 32, row = blockIdx.y * 32, column = blockIdx.x * 32;
    int wr = warp / 2 * 16, wc = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 32) {
        for (int at = threadIdx.x; at < 32 * 32; at += blockDim.x) {
            as[at / 32 * LINE + at % 32] = a[(row + at / 32) * k + i + at % 32];
            bs[at / 32 * LINE + at % 32] = b[(i + at / 32) * n + column + at % 32];
        }
        __syncthreads();
        for (int j = 0; j < 32; j += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
            wmma::load_matrix_sync(fa, as + wr * LINE + j, LINE);
            wmma::load_matrix_sync(fb, bs + j * LINE + wc, LINE);
            wmma::mma_sync(sum, fa, fb, sum);
        }
        __syncthreads();
    }
    float* out = c + (row + wr) * n + column + wc;
    wmma::load_matrix_sync(old, out, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = alpha * sum.x[i] + beta * old.x[i];
    wmma::store_matrix_sync(out, sum, n, wmma::mem_row_major);
}

// The other shapes and types, A column-major and B column-major, one warp a tile.
template <int M, int N, int K, typename T, typename S, typename U>
__device__ void tiles(const U* a, const U* b, S* c, int m, int n, int k) {
    int row = blockIdx.y * M, column = blockIdx.x * N;
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum;
    wmma::fill_fragment(sum, S(0));
    for (int i = 0; i < k; i += K) {
        wmma::load_matrix_sync(fa, a + i * m + row, m);
        wmma::load_matrix_sync(fb, b + column * k + i, k);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + column * m + row, sum, m, wmma::mem_col_major);
}

extern "C" __global__ void wmma_m32n8k16_f16(const half* a, const half* b, half* c, int m, int n, int k) {
    tiles<32, 8, 16, half, half>(a, b, c, m, n, k);
}
extern "C" __global__ void wmma_m8n32k16_f16(const half* a, const half* b, half* c, int m, int n, int k) {
    tiles<8, 32, 16, half, half>(a, b, c, m, n, k);
}
extern "C" __global__ void wmma_m16n16k16_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
    tiles<16, 16, 16, __nv_bfloat16, float>(a, b, c, m, n, k);
}
extern "C" __global__ void wmma_m16n16k8_tf32(const float* a, const float* b, float* c, int m, int n, int k) {
    tiles<16, 16, 8, wmma::precision::tf32, float>(a, b, c, m, n, k);
}
extern "C" __global__ void wmma_m8n8k4_f64(const double* a, const double* b, double* c, int m, int n, int k) {
    tiles<8, 8, 4, double, double>(a, b, c, m, n, k);
}
extern "C" __global__ void wmma_m16n16k16_s8(const signed char* a, const signed char* b, int* c, int m, int n, int k) {
    tiles<16, 16, 16, signed char, int>(a, b, c, m, n, k);
}

// 64x64 tiles of C for four warps of 32x32, 32 deep; A is row-major and B too. Chunks of eight halves of a row are
// stored at `place(row, chunk)` of four.
template <bool SWIZZLED>
__device__ int place(int row, int chunk, int chunks) {
    int at = SWIZZLED ? chunk ^ (chunks == 4 ? row / 2 % 4 : row % 8) : chunk;
    return (row * chunks + at) * 8;
}

template <bool SWIZZLED>
__device__ void mma_tiles(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ __align__(128) half as[64 * 32], bs[32 * 64];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int row = blockIdx.y * 64, column = blockIdx.x * 64, wr = warp / 2 * 32, wc = warp % 2 * 32;
    float sums[2][4][4] = {};
    for (int from = 0; from < k; from += 32) {
        for (int at = t; at < 256; at += 128) {
            *(uint4*)&as[place<SWIZZLED>(at / 4, at % 4, 4)] = *(const uint4*)&a[(row + at / 4) * k + from + at % 4 * 8];
            *(uint4*)&bs[place<SWIZZLED>(at / 8, at % 8, 8)] = *(const uint4*)&b[(from + at / 8) * n + column + at % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i += 16) {
            unsigned fa[2][4], fb[4][2];
#pragma unroll
            for (int x = 0; x < 2; x++) {
                unsigned p = __cvta_generic_to_shared(&as[place<SWIZZLED>(wr + 16 * x + lane % 16, i / 8 + lane / 16, 4)]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                    : "=r"(fa[x][0]), "=r"(fa[x][1]), "=r"(fa[x][2]), "=r"(fa[x][3]) : "r"(p));
            }
#pragma unroll
            for (int y = 0; y < 4; y++) {
                unsigned p = __cvta_generic_to_shared(&bs[place<SWIZZLED>(i + lane % 16, wc / 8 + y, 8)]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                    : "=r"(fb[y][0]), "=r"(fb[y][1]) : "r"(p));
            }
#pragma unroll
            for (int x = 0; x < 2; x++)
#pragma unroll
                for (int y = 0; y < 4; y++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+f"(sums[x][y][0]), "+f"(sums[x][y][1]), "+f"(sums[x][y][2]), "+f"(sums[x][y][3])
                        : "r"(fa[x][0]), "r"(fa[x][1]), "r"(fa[x][2]), "r"(fa[x][3]), "r"(fb[y][0]), "r"(fb[y][1]));
        }
        __syncthreads();
    }
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 4; y++)
            for (int i = 0; i < 4; i++)
                c[(row + wr + 16 * x + i / 2 * 8 + lane / 4) * n + column + wc + 8 * y + lane % 4 * 2 + i % 2] = sums[x][y][i];
}

extern "C" __global__ void mma_plain(const half* a, const half* b, float* c, int m, int n, int k) {
    mma_tiles<false>(a, b, c, m, n, k);
}
extern "C" __global__ void mma_swizzled(const half* a, const half* b, float* c, int m, int n, int k) {
    mma_tiles<true>(a, b, c, m, n, k);
}

// Transposes 8x8 tiles of 16-bit elements: in registers, or by a transposing store to shared memory.
extern "C" __global__ void transpose_tiles(const unsigned short* in, unsigned short* out, int rows, int columns, int by_store) {
    __shared__ __align__(16) unsigned short tile[64];
    int lane = threadIdx.x, row = blockIdx.y * 8, column = blockIdx.x * 8;
    unsigned x = *(const unsigned*)&in[(row + lane / 4) * columns + column + lane % 4 * 2];
    if (by_store) {
        unsigned p = __cvta_generic_to_shared(&tile[lane % 8 * 8]);
        asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" :: "r"(p), "r"(x) : "memory");
        __syncwarp();
        x = *(const unsigned*)&tile[lane * 2];
    } else {
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(x));
    }
    *(unsigned*)&out[(column + lane / 4) * rows + row + lane % 4 * 2] = x;
}
