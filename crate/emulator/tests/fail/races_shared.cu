// Threads of one block that use shared memory without order between them.

//# mistake no_barrier_after_write: other warps' part of the tile may not be written yet
//# launch --grid 3 --block 128 --arg i32[384]=iota --arg i32[384]=poison
//# finds race
//# gives 1 reversed 128
extern "C" __global__ void no_barrier_after_write(const int* in, int* out) {
    __shared__ int tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = tile[127 - threadIdx.x]; // MISTAKE
}

//# mistake transpose_without_barrier: the tile is read in columns before it is written in rows
//# launch --grid 2,2 --block 32,8 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds race
//# gives 1 transpose
extern "C" __global__ void transpose_without_barrier(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[32][33];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (x0 + threadIdx.x < columns && y0 + j < rows)
            tile[j][threadIdx.x] = in[(y0 + j) * columns + x0 + threadIdx.x]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    for (int j = threadIdx.y; j < 32; j += 8)
        if (y0 + threadIdx.x < rows && x0 + j < columns)
            out[(x0 + j) * rows + y0 + threadIdx.x] = tile[threadIdx.x][j]; // MISTAKE
}

//# mistake no_barrier_before_overwrite: the next tile overwrites what slower warps still read
//# launch --grid 1 --block 96 --arg i32[480]=iota --arg i32[480]=poison --arg i32=480
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void no_barrier_before_overwrite(const int* in, int* out, int n) {
    __shared__ int tile[96];
    for (int first = 0; first < n; first += 96) {
        tile[threadIdx.x] = in[first + threadIdx.x]; // MISTAKE
        __syncthreads();
        out[first + threadIdx.x] = tile[95 - threadIdx.x]; // MISTAKE
#ifdef FIXED
        __syncthreads();
#endif
    }
}

//# mistake gemm_without_second_barrier: the tiles of A and B are overwritten while others multiply
//# launch --grid 2,2 --block 16,16 --arg f32[680]=iota --arg f32[680]=iota --arg f32[289]=poison --arg i32=17 --arg i32=17 --arg i32=40
//# finds race
//# gives 2 product
extern "C" __global__ void gemm_without_second_barrier(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[16][16], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        as[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0; // MISTAKE
        bs[y][x] = column < n && first + y < k ? b[(first + y) * n + column] : 0; // MISTAKE
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x]; // MISTAKE
#ifdef FIXED
        __syncthreads();
#endif
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

//# mistake double_buffer: with two buffers one barrier a round is enough, but not none
//# launch --grid 1 --block 96 --arg i32[480]=iota --arg i32[480]=poison --arg i32=480
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void double_buffer(const int* in, int* out, int n) {
    __shared__ int tile[2][96];
    int now = 0;
    tile[0][threadIdx.x] = in[threadIdx.x]; // MISTAKE
    __syncthreads();
    for (int first = 0; first < n; first += 96) {
        if (first + 96 < n) tile[1 - now][threadIdx.x] = in[first + 96 + threadIdx.x]; // MISTAKE
        out[first + threadIdx.x] = tile[now][95 - threadIdx.x]; // MISTAKE
#ifdef FIXED
        __syncthreads();
#endif
        now = 1 - now;
    }
}

//# mistake shared_histogram: `+= 1` reads, adds and writes; two threads can read the same count
//# launch --grid 2 --block 128 --arg u32[256]=random:11 --arg u32[16]=zero
//# finds race
//# gives 1 histogram 16
extern "C" __global__ void shared_histogram(const unsigned* in, unsigned* out) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned bin = in[blockIdx.x * blockDim.x + threadIdx.x] % 16;
#ifdef FIXED
    atomicAdd(&bins[bin], 1);
#else
    bins[bin] += 1; // MISTAKE
#endif
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

//# mistake shared_sum: all threads add to one element without an atomic
//# launch --grid 1 --block 100 --arg i32[100]=iota --arg i32[1]=poison
//# finds race
//# gives 1 sum
extern "C" __global__ void shared_sum(const int* in, int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd(&sum, in[threadIdx.x]);
#else
    sum += in[threadIdx.x]; // MISTAKE
#endif
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}

//# mistake reduction_without_barrier: each step of the tree needs what other warps wrote in the last
//# launch --grid 3 --block 128 --arg i32[384]=iota --arg i32[3]=poison
//# finds race
//# gives 1 block_sums 128
extern "C" __global__ void reduction_without_barrier(const int* in, int* out) {
    __shared__ int part[128];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 128 + i];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (i < s) part[i] += part[i + s]; // MISTAKE
#ifdef FIXED
        __syncthreads();
#endif
    }
    if (i == 0) out[blockIdx.x] = part[0];
}

//# mistake last_warp_without_syncwarp: the lanes of a warp are not in step by themselves
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[3]=poison
//# finds race
//# gives 1 block_sums 64
extern "C" __global__ void last_warp_without_syncwarp(const int* in, int* out) {
    __shared__ int part[64];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 64 + i];
    __syncthreads();
    if (i < 32) {
        int sum = part[i];
        for (int s = 32; s > 0; s /= 2) {
            sum += part[i + s]; // MISTAKE
#ifdef FIXED
            __syncwarp();
#endif
            part[i] = sum; // MISTAKE
#ifdef FIXED
            __syncwarp();
#endif
        }
        if (i == 0) out[blockIdx.x] = sum;
    }
}

//# mistake syncwarp_across_warps: `__syncwarp()` does not wait for the other warps
//# launch --grid 3 --block 128 --arg i32[384]=iota --arg i32[384]=poison
//# finds race
//# gives 1 reversed 128
extern "C" __global__ void syncwarp_across_warps(const int* in, int* out) {
    __shared__ int tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#else
    __syncwarp();
#endif
    out[i] = tile[127 - threadIdx.x]; // MISTAKE
}

//# mistake warp_sums_unread: the first warp adds the warps' sums before all are there
//# launch --grid 2 --block 256 --arg i32[512]=iota --arg i32[2]=poison
//# finds race
//# gives 1 block_sums 256
extern "C" __global__ void warp_sums_unread(const int* in, int* out) {
    __shared__ int sums[8];
    int i = threadIdx.x, lane = i % 32, warp = i / 32;
    int sum = in[blockIdx.x * 256 + i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) sums[warp] = sum; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (warp == 0) {
        sum = lane < 8 ? sums[lane] : 0; // MISTAKE
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}

//# mistake broadcast_without_barrier: thread 0 writes for all, and nobody waits
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 minus_first 64
extern "C" __global__ void broadcast_without_barrier(const int* in, int* out) {
    __shared__ int first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) first = in[i]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = in[i] - first; // MISTAKE
}

//# mistake different_values: which thread's index is kept is left to chance
//# launch --grid 1 --block 100 --arg i32[100]=iota --arg i32[1]=poison
//# finds race
//# gives 1 first_three_modulo_seven
extern "C" __global__ void different_values(const int* in, int* out) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 1000;
    __syncthreads();
    if (in[threadIdx.x] % 7 == 3) {
#ifdef FIXED
        atomicMin(&found, (int)threadIdx.x);
#else
        found = threadIdx.x; // MISTAKE
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = found;
}

//# mistake scan_in_place: a thread writes the sum that its neighbour still has to read
//# launch --grid 1 --block 100 --arg i32[100]=iota --arg i32[100]=poison
//# finds race
//# gives 1 running_sums
extern "C" __global__ void scan_in_place(const int* in, int* out) {
    __shared__ int sums[100];
    int i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    for (int d = 1; d < 100; d *= 2) {
#ifdef FIXED
        int left = i >= d ? sums[i - d] : 0;
        __syncthreads();
        sums[i] += left;
#else
        if (i >= d) sums[i] += sums[i - d]; // MISTAKE
#endif
        __syncthreads();
    }
    out[i] = sums[i];
}

//# mistake bitonic_without_barrier: a sorting network without a barrier between its steps
//# launch --grid 1 --block 64 --arg u32[128]=random:5 --arg u32[128]=poison
//# finds race
//# gives 1 sorted
extern "C" __global__ void bitonic_without_barrier(const unsigned* in, unsigned* out) {
    __shared__ unsigned keys[128];
    int i = threadIdx.x;
    keys[i] = in[i]; // MISTAKE
    keys[i + 64] = in[i + 64]; // MISTAKE
    for (int size = 2; size <= 128; size *= 2) {
        for (int d = size / 2; d > 0; d /= 2) {
#ifdef FIXED
            __syncthreads();
#endif
            int at = 2 * i - (i & (d - 1));
            bool up = (at & size) == 0;
            unsigned a = keys[at], b = keys[at + d]; // MISTAKE
            if ((a > b) == up) { keys[at] = b; keys[at + d] = a; } // MISTAKE
        }
    }
    __syncthreads();
    out[i] = keys[i];
    out[i + 64] = keys[i + 64];
}

//# mistake counter_read_too_early: the count is read before all have added to it
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[2]=poison
//# finds race
//# gives 1 odd_in_blocks 96
extern "C" __global__ void counter_read_too_early(const int* in, int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (in[blockIdx.x * 96 + threadIdx.x] % 2 == 1) atomicAdd(&count, 1); // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 0) out[blockIdx.x] = count; // MISTAKE
}

//# mistake atomic_beside_plain: one branch counts with an atomic, the other without
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[1]=poison
//# finds race
//# gives 1 number_of_elements
extern "C" __global__ void atomic_beside_plain(const int* in, int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (in[threadIdx.x] > 0) atomicAdd(&count, 1); // MISTAKE
#ifdef FIXED
    else atomicAdd(&count, 1);
#else
    else count += 1; // MISTAKE
#endif
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}

//# mistake zeroed_by_the_next_pass: thread 0 clears the flag that the others still test
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds race
//# gives 1 passes_until_small
extern "C" __global__ void zeroed_by_the_next_pass(const int* in, int* out) {
    __shared__ int changed;
    int i = threadIdx.x, value = in[i], passes = 0;
    do {
        if (i == 0) changed = 0; // MISTAKE
        __syncthreads();
        if (value > 1) {
            value /= 2;
            changed = 1; // all write the same
        }
        __syncthreads();
        passes += 1;
#ifdef FIXED
        int again = changed;
        __syncthreads();
        if (!again) break;
    } while (true);
#else
    } while (changed); // MISTAKE
#endif
    out[i] = passes;
}
