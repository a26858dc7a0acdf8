// Memory that is read before anything has been written to it.

//# mistake shared_counter: nobody sets the counter to zero
//# launch --grid 1 --block 100 --arg i32[100]=iota --arg i32[1]=poison
//# finds uninitialized
//# gives 1 number_of_odd
extern "C" __global__ void shared_counter(const int* in, int* out) {
    __shared__ int count;
#ifdef FIXED
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
#endif
    if (in[threadIdx.x] % 2) atomicAdd(&count, 1); // MISTAKE
    __syncthreads();
    if (threadIdx.x == 0) *out = count; // MISTAKE
}

//# mistake shared_accumulator: the sums of the warps are added to what was in shared memory
//# launch --grid 1 --block 64 --arg i32[256]=iota --arg i32[64]=poison
//# finds uninitialized
//# gives 1 sums_of_every_64th
extern "C" __global__ void shared_accumulator(const int* in, int* out) {
    __shared__ int sums[64];
    int i = threadIdx.x;
#ifdef FIXED
    sums[i] = 0;
#endif
    for (int k = 0; k < 4; ++k) sums[i] += in[64 * k + i]; // MISTAKE
    __syncthreads();
    out[i] = sums[63 - i]; // MISTAKE
}

//# mistake half_of_the_bins: 128 threads clear 128 of 256 bins
//# launch --grid 1 --block 128 --arg u8[1000]=random:9 --arg u32[256]=poison --arg i32=1000
//# finds uninitialized
//# gives 1 histogram 256
extern "C" __global__ void half_of_the_bins(const unsigned char* in, unsigned* out, int n) {
    __shared__ unsigned bins[256];
#ifdef FIXED
    for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
#else
    bins[threadIdx.x] = 0;
#endif
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1); // MISTAKE
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) out[b] = bins[b]; // MISTAKE
}

//# mistake accumulate_into_output: `+=` on a buffer that is not zeroed
//# launch --grid 4 --block 32 --arg i32[400]=iota --arg i32[100]=poison --arg i32=100
//# finds uninitialized
//# gives 1 sums_of_every_100th
extern "C" __global__ void accumulate_into_output(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    out[i] = 0;
#endif
    for (int k = 0; k < 4; ++k) out[i] += in[k * n + i]; // MISTAKE
}

//# mistake atomic_into_output: the histogram's bins are never set to zero
//# launch --grid 4 --block 64 --arg u32[256]=random:11 --arg u32[16]=poison
//# fixed --grid 4 --block 64 --arg u32[256]=random:11 --arg u32[16]=zero
//# finds uninitialized
//# gives 1 histogram 16
extern "C" __global__ void atomic_into_output(const unsigned* in, unsigned* bins) {
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1); // MISTAKE
}

//# mistake out_for_in: the neighbour is read from the output
//# launch --grid 1 --block 32 --arg i32[33]=iota --arg i32[33]=poison
//# finds race uninitialized
//# gives 1 neighbours_added_but_last
extern "C" __global__ void out_for_in(const int* in, int* out) {
    int i = threadIdx.x;
#ifdef FIXED
    int right = in[i + 1];
#else
    int right = i == 31 ? out[i + 1] : in[i + 1]; // MISTAKE
#endif
    if (i == 0) out[32] = 0;
    out[i] = in[i] + right;
}

//# mistake swapped_buffers: the arguments are given in the wrong order
//# launch --grid 4 --block 32 --arg i32[100]=poison --arg i32[100]=iota --arg i32=100
//# fixed --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32=100
//# finds uninitialized
//# gives 1 copy
extern "C" __global__ void swapped_buffers(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i]; // MISTAKE
}

//# mistake halo_not_loaded: the tile has a halo, and nobody loads it
//# launch --grid 3 --block 32 --arg i32[96]=iota --arg i32[96]=poison --arg i32=96
//# finds uninitialized
//# gives 1 with_both_neighbours
extern "C" __global__ void halo_not_loaded(const int* in, int* out, int n) {
    __shared__ int tile[34];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + 1;
    tile[at] = in[i];
#ifdef FIXED
    if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == 31) tile[33] = i + 1 < n ? in[i + 1] : 0;
#endif
    __syncthreads();
    out[i] = tile[at - 1] + tile[at] + tile[at + 1]; // MISTAKE
}

//# mistake early_return_before_tile: threads past the end leave, and their part of the tile stays empty
//# launch --grid 2 --block 64 --arg i32[100]=iota --arg i32[100]=poison --arg i32=100
//# finds uninitialized
//# gives 1 reversed_or_zero 64
extern "C" __global__ void early_return_before_tile(const int* in, int* out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n) return;
#else
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    __syncthreads(); // MISTAKE
#endif
    out[i] = tile[63 - threadIdx.x]; // MISTAKE
}

//# mistake guard_of_the_wrong_side: the test of the load is used again for the transposed store
//# launch --grid 2,2 --block 32,32 --arg f32[1665]=iota --arg f32[2025]=poison --arg i32=37 --arg i32=45
//# finds race uninitialized
//# gives 1 transpose
extern "C" __global__ void guard_of_the_wrong_side(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#ifdef FIXED
    if (x < rows && y < columns)
#else
    if (x < columns && y < columns)
#endif
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y]; // MISTAKE
}

//# mistake transposed_tile_edge: the tile is filled at [x][y] but tested as if at [y][x]
//# launch --grid 1 --block 16,16 --arg f32[130]=iota --arg f32[130]=poison --arg i32=10 --arg i32=13
//# finds uninitialized
//# gives 1 transpose
extern "C" __global__ void transposed_tile_edge(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    if (x < columns && y < rows) tile[y][x] = in[y * columns + x];
    __syncthreads();
#ifdef FIXED
    if (x < rows && y < columns) out[y * rows + x] = tile[x][y];
#else
    if (x < columns && y < rows) out[x * rows + y] = tile[x][y]; // MISTAKE
#endif
}

//# mistake last_tile_not_padded: the product takes 16 steps, and the tiles have only 10 columns of A
//# launch --grid 1 --block 16,16 --arg f32[110]=iota --arg f32[130]=iota --arg f32[143]=poison --arg i32=11 --arg i32=13 --arg i32=10
//# finds uninitialized
//# gives 2 product
extern "C" __global__ void last_tile_not_padded(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[16][17], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y;
#ifdef FIXED
    as[y][x] = y < m && x < k ? a[y * k + x] : 0;
    bs[y][x] = y < k && x < n ? b[y * n + x] : 0;
#else
    if (y < m && x < k) as[y][x] = a[y * k + x];
    if (y < k && x < n) bs[y][x] = b[y * n + x];
#endif
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x]; // MISTAKE
    if (y < m && x < n) c[y * n + x] = sum;
}

//# mistake reduction_of_96: the tree halves 128, and 96 threads have written 96
//# launch --grid 3 --block 96 --arg i32[288]=iota --arg i32[3]=poison
//# finds uninitialized
//# gives 1 block_sums 96
extern "C" __global__ void reduction_of_96(const int* in, int* out) {
    __shared__ int part[128];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 96 + i];
#ifdef FIXED
    if (i < 32) part[96 + i] = 0;
#endif
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (i < s) part[i] += part[i + s]; // MISTAKE
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = part[0];
}

//# mistake local_window: the window of a running median is used before it is full
//# launch --grid 1 --block 40 --arg i32[40]=iota --arg i32[40]=poison --arg i32=3
//# finds uninitialized
//# gives 1 window_sums
extern "C" __global__ void local_window(const int* in, int* out, int width) {
    int window[8];
    int i = threadIdx.x;
#ifdef FIXED
    for (int k = 0; k < 8; ++k) window[k] = 0;
#endif
    for (int k = 0; k < width; ++k) window[(i + k) % 8] = in[i] + k;
    int sum = 0;
    for (int k = 0; k <= width; ++k) sum += window[(i + k) % 8]; // MISTAKE
    out[i] = sum;
}

//# mistake read_before_write: the tile is used in the loop before it is loaded
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds uninitialized
//# gives 1 reversed 64
extern "C" __global__ void read_before_write(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
#ifdef FIXED
    tile[i] = in[i];
    __syncthreads();
    out[i] = tile[63 - i];
#else
    int value = tile[63 - i]; // MISTAKE
    __syncthreads();
    tile[i] = in[i];
    __syncthreads();
    out[i] = value;
#endif
}
