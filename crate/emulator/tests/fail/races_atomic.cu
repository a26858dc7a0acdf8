// Cells that one thread sets and all then count in, or that several set: a thread's own atomic must not hide its plain store.

//# mistake sum_set_and_added: thread 0 clears the sum, and others may have added to it before
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[2]=poison
//# finds race
//# gives 1 block_sums 96
extern "C" __global__ void sum_set_and_added(const int* in, int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&sum, in[blockIdx.x * 96 + threadIdx.x]); // MISTAKE
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//# mistake cleared_by_all: every thread clears the sum, the slowest after the first has added
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[2]=poison
//# finds race
//# gives 1 block_sums 96
extern "C" __global__ void cleared_by_all(const int* in, int* out) {
    __shared__ int sum;
    sum = 0; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&sum, in[blockIdx.x * 96 + threadIdx.x]); // MISTAKE
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//# mistake one_warp_counts: a block of one warp needs the order too, if only `__syncwarp()`
//# launch --grid 2 --block 32 --arg i32[64]=iota --arg i32[2]=poison
//# finds race
//# gives 1 odd_in_blocks 32
extern "C" __global__ void one_warp_counts(const int* in, int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0; // MISTAKE
#ifdef FIXED
    __syncwarp();
#endif
    if (in[blockIdx.x * 32 + threadIdx.x] % 2 == 1) atomicAdd(&count, 1); // MISTAKE
    __syncwarp();
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

//# mistake largest_set_first: the first guess may overwrite what others have found
//# launch --grid 1 --block 128 --arg i32[128]=iota --arg i32[1]=poison
//# finds race
//# gives 1 last_three_modulo_seven
extern "C" __global__ void largest_set_first(const int* in, int* out) {
    __shared__ int most;
    int i = threadIdx.x;
    if (i == 64) most = -1; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (in[i] % 7 == 3) atomicMax(&most, i); // MISTAKE
    __syncthreads();
    if (i == 0) *out = most;
}

//# mistake bins_not_ready: each thread clears a bin, and others count in it at once
//# launch --grid 2 --block 128 --arg u32[256]=random:11 --arg u32[16]=zero
//# finds race
//# gives 1 histogram 16
extern "C" __global__ void bins_not_ready(const unsigned* in, unsigned* out) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&bins[in[blockIdx.x * 128 + threadIdx.x] % 16], 1u); // MISTAKE
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

//# mistake byte_bins: the same with bins that all threads clear in strides, and bytes for values
//# launch --grid 1 --block 96 --arg u8[960]=random:3 --arg u32[256]=zero --arg i32=960
//# finds race
//# gives 1 histogram 256
extern "C" __global__ void byte_bins(const unsigned char* in, unsigned* out, int n) {
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1u); // MISTAKE
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = bins[i];
}

//# mistake global_sum_set: block 0 clears the result that all blocks add to
//# launch --grid 4 --block 32 --arg i32[128]=iota --arg i32[1]=poison
//# fixed --grid 4 --block 32 --arg i32[128]=iota --arg i32[1]=zero
//# finds race
//# gives 1 sum
extern "C" __global__ void global_sum_set(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FIXED
    if (i == 0) *out = 0; // MISTAKE
#endif
    atomicAdd(out, in[i]); // MISTAKE
}

//# mistake global_count_in_block: global memory within one block, without the barrier
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[1]=zero
//# finds race
//# gives 1 number_of_odd
extern "C" __global__ void global_count_in_block(const int* in, int* out) {
    if (threadIdx.x == 0) *out = 0; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (in[threadIdx.x] % 2) atomicAdd(out, 1); // MISTAKE
}

//# mistake read_before_the_exchange: a plain read of what others exchange
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 1 copy
extern "C" __global__ void read_before_the_exchange(const int* in, int* out) {
    __shared__ int slots[64];
    int i = threadIdx.x;
    slots[63 - i] = 0; // MISTAKE
    atomicExch(&slots[63 - i], in[63 - i]); // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = slots[i]; // MISTAKE
}

//# mistake reset_in_the_loop: the counter is cleared for the next round while others still read it
//# launch --grid 1 --block 64 --arg i32[192]=iota --arg i32[3]=poison --arg i32=3
//# finds race
//# gives 1 odd_in_blocks 64
extern "C" __global__ void reset_in_the_loop(const int* in, int* out, int rounds) {
    __shared__ int count;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x == 0) count = 0; // MISTAKE
        __syncthreads();
        if (in[k * 64 + threadIdx.x] % 2) atomicAdd(&count, 1); // MISTAKE
        __syncthreads();
        if (threadIdx.x == 40) out[k] = count; // MISTAKE
#ifdef FIXED
        __syncthreads();
#endif
    }
}

//# mistake tile_of_zeros: a tile read without a barrier, though what is stored is what was there
//# launch --grid 1 --block 96 --arg i32[288]=zero --arg i32[288]=poison --arg i32=288
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void tile_of_zeros(const int* in, int* out, int n) {
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

//# mistake float_sum: the same as a sum of floats, cleared by the last thread
//# launch --grid 1 --block 32,4 --arg f32[128]=iota --arg f32[32]=poison
//# finds race
//# gives 1 sums_of_four
extern "C" __global__ void float_sum(const float* in, float* out) {
    __shared__ float sums[32];
    int i = threadIdx.y * 32 + threadIdx.x;
    if (threadIdx.y == 3) sums[threadIdx.x] = 0; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&sums[i / 4], in[i]); // MISTAKE
    __syncthreads();
    if (threadIdx.y == 0) out[threadIdx.x] = sums[threadIdx.x];
}

//# mistake own_read_hides_others: a thread reads its element again, after its neighbour, and overwrites it
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 pairs_summed
extern "C" __global__ void own_read_hides_others(const int* in, int* out) {
    __shared__ volatile int unused;
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    int neighbour = tile[i ^ 1]; // MISTAKE
    if (i > 64) unused = neighbour;
    int own = *(volatile int*)&tile[i];
#ifdef FIXED
    __syncthreads();
#endif
    tile[i] = own + neighbour; // MISTAKE
    __syncthreads();
    out[i] = tile[i];
}
