// What one warp publishes of what others did, to other blocks: nothing without a barrier. The same for what it has seen.

//# mistake ticket_without_barrier: one thread's fence and ticket say nothing of what the block's other warp has stored
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[192]=poison --arg u32[1]=zero --arg i32[1]=zero
//# finds race
//# gives 3 sum
extern "C" __global__ void ticket_without_barrier(const int* in, int* parts, unsigned* ticket, int* out) {
    __shared__ bool last;
    int i = blockIdx.x * 64 + threadIdx.x;
    parts[i] = in[i]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int k = threadIdx.x; k < 192; k += 64) sum += parts[191 - k]; // MISTAKE
        atomicAdd(out, sum);
    }
}

//# mistake fences_without_barrier: every thread fences, but the flag does not wait for the other warp's
//# launch --grid 2 --block 64 --arg i32[64]=iota --arg i32[64]=poison --arg i32[1]=zero --arg i32[64]=iota
//# finds race
//# gives 3 reversed 64
extern "C" __global__ void fences_without_barrier(const int* in, int* data, volatile int* flag, int* out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = in[t]; // MISTAKE
        __threadfence();
#ifdef FIXED
        __syncthreads();
#endif
        if (t == 0) *flag = 1;
    } else {
        if (t == 0) {
            while (*flag == 0) { }
            __threadfence();
        }
        __syncthreads();
        out[t] = data[63 - t]; // MISTAKE
    }
}

//# mistake unlocked_early: the block's lock is given back before its other warp is done
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[1]=zero --arg i32[64]=zero
//# finds race
//# gives 2 sums_of_every_64th
extern "C" __global__ void unlocked_early(const int* in, int* lock, int* sums) {
    int t = threadIdx.x;
    if (t == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { }
        __threadfence();
    }
    __syncthreads();
    sums[t] += in[blockIdx.x * 64 + 63 - t]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (t == 0) {
        __threadfence();
        atomicExch(lock, 0);
    }
}

// A barrier of the grid, for the next two; the blocks that take part are as many as can run together.
__device__ void grid_barrier(unsigned* come, bool before, bool after) {
    if (before) __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(come, 1u);
        while (atomicAdd(come, 0u) < gridDim.x) { }
        __threadfence();
    }
    if (after) __syncthreads();
}

//# mistake grid_barrier_without_first: the barrier of the grid does not wait for the block's other warp
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[192]=poison --arg i32[192]=poison --arg u32[1]=zero
//# finds race
//# gives 2 reversed_plus_one
extern "C" __global__ void grid_barrier_without_first(const int* in, int* middle, int* out, unsigned* come) {
    int i = blockIdx.x * 64 + threadIdx.x;
    middle[i] = in[i] + 1; // MISTAKE
#ifdef FIXED
    grid_barrier(come, true, true);
#else
    grid_barrier(come, false, true);
#endif
    out[i] = middle[191 - i]; // MISTAKE
}

//# mistake grid_barrier_without_last: only one warp has waited for the other blocks
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[192]=zero --arg i32[192]=poison --arg u32[1]=zero
//# finds race
//# gives 2 reversed_plus_one
extern "C" __global__ void grid_barrier_without_last(const int* in, int* middle, int* out, unsigned* come) {
    int i = blockIdx.x * 64 + threadIdx.x;
    middle[i] = in[i] + 1; // MISTAKE
#ifdef FIXED
    grid_barrier(come, true, true);
#else
    grid_barrier(come, true, false);
#endif
    out[i] = middle[191 - i]; // MISTAKE
}

//# mistake other_warp_waits: a warp waits for the flag, another reads what it announces
//# launch --grid 2 --block 64 --arg i32[1]=iota --arg i32[1]=zero --arg i32[1]=zero --arg i32[1]=iota
//# finds race
//# gives 3 copy
extern "C" __global__ void other_warp_waits(const int* in, int* data, int* flag, int* out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        if (t == 0) {
            *data = *in; // MISTAKE
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) { }
            __threadfence();
        }
#ifdef FIXED
        __syncthreads();
#endif
        if (t == 32) *out = *data; // MISTAKE
    }
}

//# mistake count_read_plainly: a block that has counted reads the counter while others still count
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[1]=zero --arg i32[3]=poison
//# finds race
//# gives 1 number_of_odd
extern "C" __global__ void count_read_plainly(const int* in, int* count, int* seen) {
    if (in[blockIdx.x * 64 + threadIdx.x] % 2 == 1) atomicAdd(count, 1); // MISTAKE
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0) seen[blockIdx.x] = atomicAdd(count, 0);
#else
    if (threadIdx.x == 0) seen[blockIdx.x] = *count; // MISTAKE
#endif
}

//# mistake count_of_block_read_early: the last warp reads what it has counted itself, and others still count
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[1]=poison
//# finds race
//# gives 1 number_of_odd
extern "C" __global__ void count_of_block_read_early(const int* in, int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, in[threadIdx.x] % 2); // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 63) *out = count; // MISTAKE
}

//# mistake lane_publishes_for_warp: a lane's fence and flag say nothing of what its warp's other lanes have stored
//# launch --grid 2 --block 32 --arg i32[32]=iota --arg i32[32]=poison --arg i32[1]=zero --arg i32[32]=iota
//# misses race
//# gives 3 copy
extern "C" __global__ void lane_publishes_for_warp(const int* in, int* data, int* flag, int* out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = in[t]; // MISTAKE
#ifdef FIXED
        __syncwarp();
#endif
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) { }
            __threadfence();
        }
        __syncwarp();
        out[t] = data[t]; // MISTAKE
    }
}
