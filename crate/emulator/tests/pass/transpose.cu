// Transposes beyond those of the book: vectors, swizzles, other types, dynamic shared memory.
typedef unsigned long long u64;

extern "C" __global__ void float4_padded(const float* __restrict__ in, float* __restrict__ out, unsigned rows, unsigned columns) {
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x * 4, y = blockIdx.y * 32 + threadIdx.y;
    float4 v = *(const float4*)(in + (size_t)y * columns + x);
    tile[threadIdx.y][threadIdx.x * 4 + 0] = v.x;
    tile[threadIdx.y][threadIdx.x * 4 + 1] = v.y;
    tile[threadIdx.y][threadIdx.x * 4 + 2] = v.z;
    tile[threadIdx.y][threadIdx.x * 4 + 3] = v.w;
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x * 4;
    y = blockIdx.x * 32 + threadIdx.y;
    float4 w = make_float4(tile[threadIdx.x * 4][threadIdx.y], tile[threadIdx.x * 4 + 1][threadIdx.y],
                           tile[threadIdx.x * 4 + 2][threadIdx.y], tile[threadIdx.x * 4 + 3][threadIdx.y]);
    *(float4*)(out + (size_t)y * rows + x) = w;
}

extern "C" __global__ void xor_swizzle(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * columns + x];
    __syncthreads();
    int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
    if (tx < rows && ty < columns) out[ty * rows + tx] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}

template <typename T> __device__ void any(const T* in, T* out, int rows, int columns, T* tile) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int pitch = blockDim.x + 1;
    if (x < columns && y < rows) tile[threadIdx.y * pitch + threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * blockDim.y + threadIdx.x;
    y = blockIdx.x * blockDim.x + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x * pitch + threadIdx.y];
}

extern __shared__ double dynamic[];
extern "C" __global__ void dynamic_f64(const double* in, double* out, int rows, int columns) { any(in, out, rows, columns, dynamic); }
extern "C" __global__ void dynamic_u8(const unsigned char* in, unsigned char* out, int rows, int columns) { any(in, out, rows, columns, (unsigned char*)dynamic); }
extern "C" __global__ void dynamic_u16(const unsigned short* in, unsigned short* out, int rows, int columns) { any(in, out, rows, columns, (unsigned short*)dynamic); }

extern "C" __global__ void double2_copy(const double2* __restrict__ in, double2* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

extern "C" __global__ void bytes4(const uchar4* __restrict__ in, uchar4* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { uchar4 v = in[i]; out[i] = make_uchar4(v.w, v.z, v.y, v.x); }
}

extern "C" __global__ void shorts2(const short2* __restrict__ in, short2* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { short2 v = in[i]; out[i] = make_short2(v.y - v.x, v.x >> 1); }
}
