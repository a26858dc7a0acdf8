// Ordinary kernels, as a course or a library has them. `kernels.txt` launches them; ncu's counts are in `kernels.csv`.

#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

// ---- element by element ----
KERNEL axpy(int n, float a, const float* x, float* y) {
    int i = AT;
    if (i < n) y[i] = a * x[i] + y[i];
}
KERNEL axpy_grid_stride(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
    for (int i = AT; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
KERNEL scale_float4(const float4* x, float4* y, int n4, float a) {
    int i = AT;
    if (i < n4) {
        float4 v = x[i];
        y[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
    }
}
KERNEL add_double2(const double2* x, const double2* y, double2* z, int n2) {
    int i = AT;
    if (i < n2) z[i] = make_double2(x[i].x + y[i].x, x[i].y + y[i].y);
}
KERNEL bytes_to_floats(const unsigned char* in, float* out, int n) {
    int i = AT;
    if (i < n) out[i] = in[i] * (1.0f / 255.0f);
}
KERNEL grey(const unsigned char* rgb, unsigned char* out, int n) {
    int i = AT;
    if (i < n) out[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}
KERNEL halves(const __half* x, __half* y, int n) {
    int i = AT;
    if (i < n) y[i] = __float2half(__half2float(x[i]) * 0.5f);
}
KERNEL relu_or_square(const float* x, float* y, int n) {
    int i = AT;
    if (i >= n) return;
    if (x[i] > 0.5f)
        y[i] = x[i] * x[i];
    else
        y[i] = 0.0f;
}
KERNEL shifted_copy(const float* in, float* out, int n, int shift) {
    int i = AT;
    if (i + shift < n) out[i] = in[i + shift];
}
KERNEL strided_copy(const float* in, float* out, int n, int stride) {
    int i = AT * stride;
    if (i < n) out[i] = in[i];
}

// ---- structures ----
struct Particle { float x, y, z, mass, vx, vy, vz; };
KERNEL move_aos(Particle* p, int n, float dt) {
    int i = AT;
    if (i < n) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}
KERNEL move_soa(float* x, float* y, const float* vx, const float* vy, int n, float dt) {
    int i = AT;
    if (i < n) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
    }
}
KERNEL gather(const float* in, const unsigned* at, float* out, int n) {
    int i = AT;
    if (i < n) out[i] = in[at[i]];
}
KERNEL scatter(const float* in, const unsigned* at, float* out, int n) {
    int i = AT;
    if (i < n) out[at[i]] = in[i];
}

// ---- transposes ----
KERNEL transpose_naive(const float* in, float* out, int rows, int columns) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < columns) out[c * rows + r] = in[r * columns + c];
}
template <int PAD> __device__ void transpose(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[32][32 + PAD];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < rows && c < columns) tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * columns + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x;
    r = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (r + j < columns && c < rows) out[(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
}
KERNEL transpose_tiled(const float* in, float* out, int rows, int columns) { transpose<0>(in, out, rows, columns); }
KERNEL transpose_padded(const float* in, float* out, int rows, int columns) { transpose<1>(in, out, rows, columns); }
KERNEL transpose_swizzled_double(const double* in, double* out, int rows, int columns) {
    __shared__ double tile[16][16];
    int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 16 + x, r = blockIdx.y * 16 + y;
    if (r < rows && c < columns) tile[y][x ^ y] = in[r * columns + c];
    __syncthreads();
    c = blockIdx.y * 16 + x;
    r = blockIdx.x * 16 + y;
    if (r < columns && c < rows) out[r * rows + c] = tile[x][y ^ x];
}

// ---- reductions and scans ----
KERNEL sum_shared(const float* in, float* out, int n) {
    extern __shared__ float partial[];
    int t = threadIdx.x, i = AT;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
KERNEL sum_interleaved(const int* in, int* out, int n) {
    __shared__ int partial[256];
    int t = threadIdx.x, i = AT;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        int at = 2 * s * t;
        if (at + s < 256) partial[at] += partial[at + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
KERNEL sum_shuffle(const float* in, float* out, int n) {
    __shared__ float partial[32];
    float sum = 0;
    for (int i = AT; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x == 0) atomicAdd(out, sum);
    }
}
KERNEL maximum(const int* in, int* out, int n) {
    int i = AT;
    int best = i < n ? in[i] : 0;
    best = __reduce_max_sync(~0u, best);
    if (threadIdx.x % 32 == 0) atomicMax(out, best);
}
KERNEL scan_block(const int* in, int* out, int n) {
    __shared__ int row[2][256];
    int t = threadIdx.x, i = AT, now = 0;
    row[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        row[1 - now][t] = row[now][t] + (t >= d ? row[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) out[i] = row[now][t];
}
KERNEL scan_blelloch(const int* in, int* out) {
    __shared__ int tree[512];
    int t = threadIdx.x, base = blockIdx.x * 512;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    int offset = 1;
    for (int d = 256; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, left = tree[a];
            tree[a] = tree[b];
            tree[b] += left;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}
KERNEL scan_warp(const int* in, int* out, int n) {
    int i = AT, lane = threadIdx.x % 32;
    int value = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, value, d);
        if (lane >= d) value += other;
    }
    if (i < n) out[i] = value;
}

// ---- histograms and atomics ----
KERNEL histogram_global(const unsigned char* in, unsigned* bins, int n) {
    int i = AT;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}
KERNEL histogram_shared(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = AT; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}
KERNEL histogram_weighted(const unsigned char* in, const unsigned* weights, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    int i = AT;
    if (i < n) atomicAdd(&own[in[i]], weights[i]);
    __syncthreads();
    if (own[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
KERNEL count_positive(const float* in, int* count, int n) {
    int i = AT;
    if (i < n && in[i] > 0.5f) atomicAdd(count, 1);
}
KERNEL sum_atomic(const float* in, float* sum, int n) {
    int i = AT;
    if (i < n) atomicAdd(sum, in[i]);
}
KERNEL sum_atomic_int(const int* in, int* sum, int n) {
    int i = AT;
    if (i < n) atomicAdd(sum, in[i]);
}
KERNEL max_atomic_int(const int* in, int* best, int n) {
    int i = AT;
    if (i < n) atomicMax(best, in[i]);
}
KERNEL compact(const float* in, float* out, int* count, int n) {
    int i = AT;
    if (i < n && in[i] > 0.5f) out[atomicAdd(count, 1)] = in[i];
}
KERNEL sum_double_atomic(const double* in, double* sums, int n) {
    int i = AT;
    if (i < n) atomicAdd(&sums[i % 7], in[i]);
}
KERNEL last_block(const float* in, float* partial, float* out, unsigned* done, int n) {
    __shared__ float row[256];
    __shared__ bool last;
    int t = threadIdx.x, i = AT;
    row[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) row[t] += row[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = row[0];
        __threadfence();
        last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += ((volatile float*)partial)[b];
        *out = sum;
    }
}
KERNEL union_find(const unsigned* from, const unsigned* to, unsigned* label, int n) {
    int i = AT;
    if (i < n) atomicMin(&label[from[i]], to[i]);
}

// ---- stencils and convolutions ----
KERNEL stencil3(const float* in, float* out, int n) {
    int i = AT;
    if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
KERNEL stencil_shared(const float* in, float* out, int n) {
    __shared__ float row[256 + 6];
    int i = AT, t = threadIdx.x + 3;
    row[t] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < 3) {
        row[t - 3] = i >= 3 ? in[i - 3] : 0.0f;
        row[t + 256] = i + 256 < n ? in[i + 256] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int d = -3; d <= 3; d++) sum += row[t + d];
    if (i < n) out[i] = sum;
}
KERNEL heat(const float* in, float* out, int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= columns) return;
    int i = r * columns + c;
    if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1)
        out[i] = in[i];
    else
        out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - columns] + in[i + columns] - 4.0f * in[i]);
}
__constant__ float weights[25];
KERNEL convolve(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[20][20];
    int x = threadIdx.x, y = threadIdx.y, c0 = blockIdx.x * 16, r0 = blockIdx.y * 16;
    for (int j = y; j < 20; j += 16)
        for (int i = x; i < 20; i += 16) {
            int r = r0 + j - 2, c = c0 + i - 2;
            tile[j][i] = r >= 0 && r < rows && c >= 0 && c < columns ? in[r * columns + c] : 0.0f;
        }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) sum += weights[5 * j + i] * tile[y + j][x + i];
    if (r0 + y < rows && c0 + x < columns) out[(r0 + y) * columns + c0 + x] = sum;
}

// ---- linear algebra ----
KERNEL matrix_vector(const float* a, const float* x, float* y, int rows, int columns) {
    int r = AT;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += a[r * columns + c] * x[c];
    y[r] = sum;
}
KERNEL matrix_vector_warp(const float* a, const float* x, float* y, int rows, int columns) {
    int r = AT / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float sum = 0;
    for (int c = lane; c < columns; c += 32) sum += a[r * columns + c] * x[c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[r] = sum;
}
KERNEL gemm_naive(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
KERNEL gemm_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int i = 0; i < k; i += 16) {
        ta[y][x] = row < m && i + x < k ? a[row * k + i + x] : 0.0f;
        tb[y][x] = i + y < k && col < n ? b[(i + y) * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
KERNEL gemm_registers(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float ta[8][64], tb[8][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int e = t; e < 512; e += 256) {
            ta[e % 8][e / 8] = a[(blockIdx.y * 64 + e / 8) * n + k0 + e % 8];
            tb[e / 64][e % 64] = b[(k0 + e / 64) * n + blockIdx.x * 64 + e % 64];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float4 va = *(float4*)&ta[k][4 * ty], vb = *(float4*)&tb[k][4 * tx];
            float x[4] = {va.x, va.y, va.z, va.w}, y[4] = {vb.x, vb.y, vb.z, vb.w};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4*)&c[(blockIdx.y * 64 + 4 * ty + i) * n + blockIdx.x * 64 + 4 * tx] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
KERNEL spmv_csr(const unsigned* rows, const unsigned* columns, const float* values, const float* x, float* y, int n) {
    int r = AT;
    if (r >= n) return;
    float sum = 0;
    for (unsigned i = rows[r]; i < rows[r + 1]; i++) sum += values[i] * x[columns[i]];
    y[r] = sum;
}
KERNEL softmax(const float* in, float* out, int columns) {
    __shared__ float shared[32];
    const float* row = in + blockIdx.x * columns;
    int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
    float best = -1e30f, sum = 0;
    for (int c = t; c < columns; c += blockDim.x) best = fmaxf(best, row[c]);
    for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
    if (lane == 0) shared[warp] = best;
    __syncthreads();
    for (int w = 0; w < warps; w++) best = fmaxf(best, shared[w]);
    __syncthreads();
    for (int c = t; c < columns; c += blockDim.x) sum += expf(row[c] - best);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) shared[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < warps; w++) sum += shared[w];
    for (int c = t; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = expf(row[c] - best) / sum;
}
KERNEL layer_norm(const float4* in, float4* out, int quads) {
    int lane = threadIdx.x;
    float sum = 0, squares = 0;
    for (int q = lane; q < quads; q += 32) {
        float4 v = in[blockIdx.x * quads + q];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    float mean = sum / (4 * quads), scale = rsqrtf(squares / (4 * quads) - mean * mean + 1e-5f);
    for (int q = lane; q < quads; q += 32) {
        float4 v = in[blockIdx.x * quads + q];
        out[blockIdx.x * quads + q] = make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
    }
}

// ---- sorting, searching, the rest ----
KERNEL bitonic_step(unsigned* keys, int j, int k) {
    unsigned i = AT, other = i ^ j;
    if (other > i) {
        unsigned a = keys[i], b = keys[other];
        if ((i & k) == 0 ? a > b : a < b) {
            keys[i] = b;
            keys[other] = a;
        }
    }
}
KERNEL bitonic_block(unsigned* keys) {
    __shared__ unsigned row[256];
    int t = threadIdx.x;
    row[t] = keys[AT];
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int other = t ^ j;
            if (other > t && ((t & k) == 0) == (row[t] > row[other])) {
                unsigned swap = row[t];
                row[t] = row[other];
                row[other] = swap;
            }
        }
    __syncthreads();
    keys[AT] = row[t];
}
KERNEL binary_search(const float* sorted, int n, const float* keys, int* at, int m) {
    int i = AT;
    if (i >= m) return;
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < keys[i] * n)
            low = middle + 1;
        else
            high = middle;
    }
    at[i] = low;
}
KERNEL mandelbrot(unsigned char* out, int columns, int rows) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= columns || r >= rows) return;
    float a = -2.0f + 3.0f * c / columns, b = -1.0f + 2.0f * r / rows, x = 0, y = 0;
    int steps = 0;
    while (x * x + y * y < 4.0f && steps < 50) {
        float next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
        steps++;
    }
    out[r * columns + c] = (unsigned char)steps;
}
KERNEL small_sort(const int* in, int* out, int n) {
    int own[16], i = AT;
    if (i >= n) return;
    for (int j = 0; j < 16; j++) own[j] = in[i * 16 + j] % 16 & 15;
    int count[16] = {};
    for (int j = 0; j < 16; j++) count[own[j]]++;
    int k = 0;
    for (int v = 0; v < 16; v++)
        for (int c = 0; c < count[v]; c++) out[i * 16 + k++] = v;
}
KERNEL pick_local(const unsigned* at, const float* in, float* out, int n) {
    float row[32];
    int i = AT;
    if (i >= n) return;
    for (int j = 0; j < 32; j++) row[j] = in[j] * i;
    out[i] = row[at[i] & 31] + row[(at[i] >> 5) & 31];
}
KERNEL all_pairs(const float4* bodies, float4* forces, int n) {
    extern __shared__ float4 tile4[];
    int i = AT;
    float4 me = bodies[i], sum = make_float4(0, 0, 0, 0);
    for (int base = 0; base < n; base += blockDim.x) {
        tile4[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) {
            float4 other = tile4[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), s = other.w * inv * inv * inv;
            sum.x += s * dx;
            sum.y += s * dy;
            sum.z += s * dz;
        }
        __syncthreads();
    }
    forces[i] = sum;
}
KERNEL reverse_shared(const int* in, int* out) {
    extern __shared__ int row_of_ints[];
    int t = threadIdx.x;
    row_of_ints[t] = in[AT];
    __syncthreads();
    out[AT] = row_of_ints[blockDim.x - 1 - t];
}
KERNEL pointer_chase(const unsigned* next, unsigned* out, int steps) {
    unsigned at = AT;
    for (int s = 0; s < steps; s++) at = next[at];
    out[AT] = at;
}

// ---- atomics that a whole warp does to one address ----
#define ALL(name, type, body) KERNEL all_##name(type* to, const type* in, type* old) { int i = AT; body; }
ALL(add_one, unsigned, atomicAdd(to, 1u))
ALL(add, unsigned, atomicAdd(to, in[i]))
ALL(add_by_block, unsigned, atomicAdd(to + blockIdx.x, in[i]))
ALL(min, unsigned, atomicMin(to, in[i]))
ALL(and, unsigned, atomicAnd(to, in[i]))
ALL(xor, unsigned, atomicXor(to, in[i]))
ALL(inc, unsigned, atomicInc(to, 100u))
ALL(exch, unsigned, atomicExch(to, 3u))
ALL(cas, unsigned, atomicCAS(to, 3u, 4u))
ALL(old_of_add_one, unsigned, old[i] = atomicAdd(to, 1u))
ALL(old_of_add, unsigned, old[i] = atomicAdd(to, in[i]))
ALL(old_of_max, unsigned, old[i] = atomicMax(to, in[i]))
ALL(long_add_one, unsigned long long, atomicAdd(to, 1ull))
ALL(long_add, unsigned long long, atomicAdd(to, in[i]))
ALL(long_old_of_add_one, unsigned long long, old[i] = atomicAdd(to, 1ull))
ALL(float_add, float, atomicAdd(to, in[i]))
ALL(double_add, double, atomicAdd(to, in[i]))
ALL(half_add, __half2, atomicAdd(to, in[i]))
ALL(by_loaded, unsigned, atomicAdd(to + in[0] % 8, in[i]))
ALL(by_warp, unsigned, atomicAdd(to + threadIdx.x / 32, in[i]))
ALL(guarded, unsigned, if (in[i] % 3 == 0) atomicAdd(to, 1u))
#define ALL_SHARED(name, body) KERNEL all_shared_##name(unsigned* to, const unsigned* in, unsigned* old) { \
    __shared__ unsigned one; int i = AT; if (threadIdx.x == 0) one = 0; __syncthreads(); body; __syncthreads(); if (threadIdx.x == 0) to[blockIdx.x] = one; }
ALL_SHARED(add_one, atomicAdd(&one, 1u))
ALL_SHARED(add, atomicAdd(&one, in[i]))
ALL_SHARED(max, atomicMax(&one, in[i]))
ALL_SHARED(old_of_add_one, old[i] = atomicAdd(&one, 1u))
ALL_SHARED(old_of_add, old[i] = atomicAdd(&one, in[i]))
ALL_SHARED(exch, atomicExch(&one, in[i]))
ALL_SHARED(inc, atomicInc(&one, 1000u))
KERNEL shared_float_bins(float* to, const unsigned* in) {
    __shared__ float own[32];
    own[threadIdx.x % 32] = 0;
    __syncthreads();
    atomicAdd(&own[in[AT] % 32], 1.5f);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(to + threadIdx.x, own[threadIdx.x]);
}
KERNEL shared_ranks(unsigned* to, const unsigned* in, unsigned* old) {
    __shared__ unsigned own[64];
    if (threadIdx.x < 64) own[threadIdx.x] = 0;
    __syncthreads();
    old[AT] = atomicAdd(&own[in[AT] % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64 && own[threadIdx.x] > 0) atomicAdd(to + threadIdx.x, own[threadIdx.x]);
}
