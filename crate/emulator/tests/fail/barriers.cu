// Barriers that not all threads reach.

//# mistake barrier_in_branch: only the threads of the condition reach the barrier
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds barrier_divergence
//# gives 1 first_reversed 48
extern "C" __global__ void barrier_in_branch(const int* in, int* out) {
    __shared__ int tile[48];
    int i = threadIdx.x;
#ifdef FIXED
    if (i < 48) tile[i] = in[i];
    __syncthreads();
    if (i < 48) out[i] = tile[47 - i];
#else
    if (i < 48) {
        tile[i] = in[i];
        __syncthreads(); // MISTAKE
        out[i] = tile[47 - i];
    }
#endif
    else out[i] = in[i];
}

//# mistake barrier_in_one_warp: the second barrier is met by the first warp only
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds barrier_divergence
//# gives 1 reversed 96
extern "C" __global__ void barrier_in_one_warp(const int* in, int* out) {
    __shared__ int tile[96];
    int i = threadIdx.x;
    tile[i] = in[i];
    if (i < 32) {
#ifndef FIXED
        __syncthreads(); // MISTAKE
#endif
    }
    __syncthreads(); // MISTAKE
    out[i] = tile[95 - i];
}

//# mistake barrier_in_both_branches: even and odd threads wait at different barriers
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds barrier_divergence
//# gives 1 reversed_alternating
extern "C" __global__ void barrier_in_both_branches(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
#ifdef FIXED
    tile[i] = i % 2 == 0 ? in[i] : -in[i];
    __syncthreads();
#else
    if (i % 2 == 0) {
        tile[i] = in[i];
        __syncthreads(); // MISTAKE
    } else {
        tile[i] = -in[i];
        __syncthreads(); // MISTAKE
    }
#endif
    out[i] = tile[63 - i];
}

//# mistake barrier_in_uneven_loop: threads go round the loop, and so to its barrier, differently often
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds barrier_divergence
//# gives 1 suffix_of_four
extern "C" __global__ void barrier_in_uneven_loop(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x, sum = 0;
#ifdef FIXED
    for (int k = 0; k < 4; ++k) {
        tile[i] = in[i] * k;
        __syncthreads();
        if (k <= i % 4) sum += tile[63 - i];
        __syncthreads();
    }
#else
    for (int k = 0; k <= i % 4; ++k) {
        tile[i] = in[i] * k;
        __syncthreads(); // MISTAKE
        sum += tile[63 - i];
        __syncthreads(); // MISTAKE
    }
#endif
    out[i] = sum;
}

//# mistake strided_loop_with_barrier: the last round of the loop is not for all threads
//# launch --grid 1 --block 64 --arg i32[150]=iota --arg i32[150]=poison --arg i32=150
//# finds barrier_divergence
//# gives 1 pairs_exchanged
extern "C" __global__ void strided_loop_with_barrier(const int* in, int* out, int n) {
    __shared__ int tile[64];
#ifdef FIXED
    for (int first = 0; first < n; first += 64) {
        int i = first + threadIdx.x;
        if (i < n) tile[threadIdx.x] = in[i];
        __syncthreads();
        if (i < n) out[i] = tile[threadIdx.x ^ 1];
        __syncthreads();
    }
#else
    for (int i = threadIdx.x; i < n; i += 64) {
        tile[threadIdx.x] = in[i];
        __syncthreads(); // MISTAKE
        out[i] = tile[threadIdx.x ^ 1];
        __syncthreads(); // MISTAKE
    }
    __syncthreads(); // MISTAKE
    if (threadIdx.x > 64) out[0] = tile[0];
#endif
}

//# mistake leave_the_loop: a thread that has its answer breaks out and leaves the others at the barrier
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds barrier_divergence
//# gives 1 steps_to_small
extern "C" __global__ void leave_the_loop(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x, steps = 0;
    tile[i] = in[63 - i];
    for (int k = 0; k < 6; ++k) {
#ifdef FIXED
        if (tile[i] >= 10) {
            tile[i] /= 2;
            steps += 1;
        }
#else
        if (tile[i] < 10) break;
        tile[i] /= 2;
        steps += 1;
#endif
        __syncthreads(); // MISTAKE
    }
    __syncthreads(); // MISTAKE
    out[i] = steps + tile[i];
}

//# mistake two_named_barriers: each half of the block waits for the whole block, at a barrier of its own
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds barrier_divergence
//# gives 1 reversed 64
extern "C" __global__ void two_named_barriers(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
#ifdef FIXED
    asm volatile("bar.sync 1;" ::: "memory");
#else
    if (i < 32) asm volatile("bar.sync 1;" ::: "memory"); // MISTAKE
    else asm volatile("bar.sync 2;" ::: "memory"); // MISTAKE
#endif
    out[i] = tile[63 - i];
}

//# mistake too_few_for_barrier: the barrier counts 96 threads, and the block has 64
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds barrier_divergence
//# gives 1 reversed 64
extern "C" __global__ void too_few_for_barrier(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
#ifdef FIXED
    asm volatile("bar.sync 1, 64;" ::: "memory");
#else
    asm volatile("bar.sync 1, 96;" ::: "memory"); // MISTAKE
#endif
    out[i] = tile[63 - i];
}

//# mistake full_mask_in_branch: the mask names lanes that are not in the branch
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds mask
//# gives 1 lower_half_sums
extern "C" __global__ void full_mask_in_branch(const int* in, int* out) {
    int i = threadIdx.x, value = in[i];
#ifdef FIXED
    unsigned mask = 0x0000ffff;
#else
    unsigned mask = 0xffffffff;
#endif
    if (i < 16) {
        for (int d = 8; d > 0; d /= 2) value += __shfl_down_sync(mask, value, d, 16); // MISTAKE
    } else {
        value = -value;
        asm volatile("" : "+r"(value));
    }
    out[i] = i < 16 && i > 0 ? 0 : value;
}

//# mistake syncwarp_in_branch: half of the lanes of the mask wait in the other branch
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds mask
//# gives 1 lower_half_reversed
extern "C" __global__ void syncwarp_in_branch(const int* in, int* out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    if (i < 16) {
        tile[i] = in[i];
#ifdef FIXED
        __syncwarp(0x0000ffff);
#else
        __syncwarp(); // MISTAKE
#endif
        out[i] = tile[15 - i];
    } else {
        for (int k = 0; k < 3; ++k) out[i] = in[i] * k;
    }
}
