// Volatile accesses of the lanes of one warp, as before Volta.

//# mistake last_warp_volatile: the tail of the reduction relies on the lanes moving together
//# launch --grid 2 --block 64 --arg i32[128]=iota --arg i32[2]=poison
//# finds race
//# gives 1 block_sums 64
extern "C" __global__ void last_warp_volatile(const int* in, int* out) {
    __shared__ int part[64];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 64 + i];
    __syncthreads();
    if (i < 32) {
        volatile int* sums = part;
#ifdef FIXED
        int sum = sums[i] + sums[i + 32];
        for (int d = 16; d > 0; d /= 2) {
            __syncwarp();
            sums[i] = sum;
            __syncwarp();
            sum += sums[(i + d) % 32];
        }
        if (i == 0) out[blockIdx.x] = sum;
#else
        sums[i] += sums[i + 32]; // MISTAKE
        sums[i] += sums[i + 16]; // MISTAKE
        sums[i] += sums[i + 8]; // MISTAKE
        sums[i] += sums[i + 4]; // MISTAKE
        sums[i] += sums[i + 2]; // MISTAKE
        sums[i] += sums[i + 1]; // MISTAKE
        if (i == 0) out[blockIdx.x] = sums[0]; // MISTAKE
#endif
    }
}

//# mistake exchange_volatile: neighbours exchange values through a volatile array
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds race
//# gives 1 reversed 32
extern "C" __global__ void exchange_volatile(const int* in, int* out) {
    __shared__ volatile int row[96];
    int i = threadIdx.x;
    row[i] = in[i]; // MISTAKE
#ifdef FIXED
    __syncwarp();
#endif
    out[i] = row[i ^ 31]; // MISTAKE
}

//# mistake scan_volatile: each step reads what its neighbour stores in the same step
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 running_sums
extern "C" __global__ void scan_volatile(const int* in, int* out) {
    __shared__ volatile int row[64];
    int i = threadIdx.x;
    row[i] = 0;
    int sum = in[i];
    volatile int* own = &row[32 + i];
#ifdef FIXED
    for (int d = 1; d < 32; d *= 2) {
        *own = sum;
        __syncwarp();
        sum += own[-d];
        __syncwarp();
    }
#else
    *own = sum; // MISTAKE
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        sum += own[-d]; // MISTAKE
        *own = sum; // MISTAKE
    }
#endif
    out[i] = sum;
}

//# mistake flag_without_barrier: lanes wait for a flag as they may, but one array is read without waiting
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 minus_first 32
extern "C" __global__ void flag_without_barrier(const int* in, int* out) {
    __shared__ volatile int first, ready;
    int i = threadIdx.x;
    if (i == 0) ready = 0;
    __syncwarp();
    if (i == 0) {
        first = in[0]; // MISTAKE
        __threadfence_block();
        ready = 1;
    }
#ifdef FIXED
    while (ready == 0) {}
    __threadfence_block();
    out[i] = in[i] - first;
#else
    if (i == 0) first = in[0]; // MISTAKE
    out[i] = in[i] - first; // MISTAKE
#endif
}
