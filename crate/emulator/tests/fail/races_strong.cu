// Volatile, relaxed and atomic accesses: what they order, and what they do not.

//# mistake plain_store_volatile_load: one block stores plainly what another polls
//# launch --grid 2 --block 32 --arg i32[32]=zero --arg i32[32]=poison
//# finds race
//# gives 1 copy
extern "C" __global__ void plain_store_volatile_load(int* data, int* out) {
#ifdef FIXED
    out[threadIdx.x] = data[threadIdx.x];
#else
    if (blockIdx.x == 0) data[threadIdx.x] = 7 + threadIdx.x; // MISTAKE
    else out[threadIdx.x] = *(volatile int*)&data[threadIdx.x]; // MISTAKE
#endif
}

//# mistake last_block_volatile: the last block reads by volatile loads, but nothing was published
//# launch --grid 6 --block 64 --arg i32[384]=iota --arg i32[6]=poison --arg u32[1]=zero --arg i32[1]=poison
//# finds race
//# gives 3 sum
extern "C" __global__ void last_block_volatile(const int* in, int* sums, unsigned* done, int* out) {
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum; // MISTAKE
#ifdef FIXED
        __threadfence();
#endif
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (int b = 0; b < gridDim.x; ++b) total += ((volatile int*)sums)[b]; // MISTAKE
        *out = total;
    }
}

//# mistake fence_of_the_block: `__threadfence_block()` publishes to the block only
//# launch --grid 6 --block 32 --arg i32[192]=iota --arg i32[6]=poison --arg u32[1]=zero --arg i32[1]=poison
//# finds race
//# gives 3 sum
extern "C" __global__ void fence_of_the_block(const int* in, int* sums, unsigned* done, int* out) {
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = sum; // MISTAKE
#ifdef FIXED
    __threadfence();
#else
    __threadfence_block();
#endif
    if (atomicAdd(done, 1) == gridDim.x - 1) {
        int total = 0;
        for (int b = 0; b < gridDim.x; ++b) total += sums[b]; // MISTAKE
        *out = total;
    }
}

//# mistake relaxed_flag: a relaxed load sees the flag, and orders nothing of what follows
//# launch --grid 2 --block 1 --arg i32[1]=zero --arg i32[1]=zero --arg i32[1]=poison
//# finds race
//# gives 2 answer
extern "C" __global__ void relaxed_flag(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42; // MISTAKE
        asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(flag) : "memory");
    } else {
        int seen = 0;
        while (seen == 0) {
#ifdef FIXED
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#else
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#endif
        }
        *out = *data; // MISTAKE
    }
}

//# mistake relaxed_in_block: the same between warps of a block
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 1 minus_first 64
extern "C" __global__ void relaxed_in_block(const int* in, int* out) {
    __shared__ int first, ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&ready);
    if (threadIdx.x == 0) {
        first = in[0]; // MISTAKE
        asm volatile("st.release.cta.shared.s32 [%0], 1;" :: "r"(at) : "memory");
    }
    int seen = threadIdx.x < 32;
    while (seen == 0) asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
#ifdef FIXED
    asm volatile("fence.acq_rel.cta;" ::: "memory");
    __syncthreads();
#else
    if (threadIdx.x < 32) __syncwarp();
#endif
    out[threadIdx.x] = in[threadIdx.x] - first; // MISTAKE
}

//# mistake atomics_of_the_block: blocks count in one cell by atomics whose scope is the block
//# launch --grid 4 --block 32 --arg i32[128]=iota --arg i32[1]=zero
//# finds race
//# gives 1 sum
extern "C" __global__ void atomics_of_the_block(const int* in, int* out) {
    int value = in[blockIdx.x * 32 + threadIdx.x];
#ifdef FIXED
    atomicAdd(out, value);
#else
    atomicAdd_block(out, value); // MISTAKE
#endif
}

//# mistake constant_load_of_output: `__ldg` may return what was there before the kernel's own store
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison --arg i32[64]=poison
//# finds race
//# gives 2 reversed_plus_one
extern "C" __global__ void constant_load_of_output(const int* in, int* middle, int* out) {
    int i = threadIdx.x;
    middle[i] = in[i] + 1; // MISTAKE
    __syncthreads();
#ifdef FIXED
    out[i] = middle[63 - i];
#else
    out[i] = __ldg(&middle[63 - i]); // MISTAKE
#endif
}

//# mistake volatile_read_beside_store: a volatile load does not wait for a plain store either
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 1 reversed 64
extern "C" __global__ void volatile_read_beside_store(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = *(volatile int*)&tile[63 - i]; // MISTAKE
}

//# mistake lock_without_fences: the next to hold the lock need not see what the last one stored
//# launch --grid 4 --block 32 --arg i32[128]=iota --arg i32[1]=zero --arg i32[1]=zero
//# finds race
//# gives 2 sum
extern "C" __global__ void lock_without_fences(const int* in, int* lock, int* sum) {
    int value = in[blockIdx.x * 32 + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
#ifdef FIXED
        __threadfence();
#endif
        *sum += value; // MISTAKE
#ifdef FIXED
        __threadfence();
#endif
        atomicExch(lock, 0);
    }
}
