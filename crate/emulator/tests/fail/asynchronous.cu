// Asynchronous copies: `cp.async` by groups, bulk copies by mbarriers.
//# arch sm_90

#define SHARED(pointer) static_cast<unsigned>(__cvta_generic_to_shared(pointer))
#define COPY_4(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(SHARED(to)), "l"(from) : "memory")
#define COPY_16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(SHARED(to)), "l"(from) : "memory")
#define COPY_16_OF(to, from, bytes) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(SHARED(to)), "l"(from), "r"(bytes) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
#define INIT(barrier, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(SHARED(barrier)), "r"(count) : "memory")
#define ARRIVE(barrier) asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" :: "r"(SHARED(barrier)) : "memory")
#define EXPECT(barrier, bytes) asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" :: "r"(SHARED(barrier)), "r"(bytes) : "memory")
#define BULK(to, from, bytes, barrier) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(barrier)) : "memory")
#define WAIT(barrier, parity) asm volatile("{ .reg .pred done; AGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra AGAIN; }" :: "r"(SHARED(barrier)), "r"(parity) : "memory")

//# mistake copy_without_wait: the barrier orders threads, but nobody has waited for the copies
//# launch --grid 3 --block 96 --arg i32[288]=iota --arg i32[288]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void copy_without_wait(const int* in, int* out) {
    __shared__ int tile[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    COPY_4(&tile[threadIdx.x], in + i); // MISTAKE
#ifdef FIXED
    WAIT_ALL();
#endif
    __syncthreads();
    out[i] = tile[95 - threadIdx.x]; // MISTAKE
}

//# mistake commit_forgotten: a group that was never committed is not waited for
//# launch --grid 3 --block 96 --arg i32[288]=iota --arg i32[288]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void commit_forgotten(const int* in, int* out) {
    __shared__ int tile[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    COPY_4(&tile[threadIdx.x], in + i); // MISTAKE
#ifdef FIXED
    COMMIT();
#endif
    WAIT_GROUP(0);
    __syncthreads();
    out[i] = tile[95 - threadIdx.x]; // MISTAKE
}

//# mistake wait_without_barrier: a thread waits for its own copies only, and reads those of others
//# launch --grid 3 --block 96 --arg i32[288]=iota --arg i32[288]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void wait_without_barrier(const int* in, int* out) {
    __shared__ int tile[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    COPY_4(&tile[threadIdx.x], in + i); // MISTAKE
    WAIT_ALL(); // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = tile[95 - threadIdx.x]; // MISTAKE
}

//# mistake wait_for_one_too_few: two groups may be left, and the tile that is read is one of them
//# launch --grid 1 --block 96 --arg i32[480]=iota --arg i32[480]=poison --arg i32=5
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void wait_for_one_too_few(const int* in, int* out, int tiles) {
    __shared__ int tile[2][96];
    int i = threadIdx.x;
    COPY_4(&tile[0][i], in + i); // MISTAKE
    COMMIT();
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) COPY_4(&tile[(k + 1) % 2][i], in + (k + 1) * 96 + i); // MISTAKE
        COMMIT();
#ifdef FIXED
        WAIT_GROUP(1);
#else
        WAIT_GROUP(2);
#endif
        __syncthreads();
        out[k * 96 + i] = tile[k % 2][95 - i]; // MISTAKE
        __syncthreads();
    }
}

//# mistake last_group_left: the last tile has no successor that may be left, so that all must be waited for
//# launch --grid 1 --block 96 --arg i32[480]=iota --arg i32[480]=poison --arg i32=5
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void last_group_left(const int* in, int* out, int tiles) {
    __shared__ int tile[2][96];
    int i = threadIdx.x;
    COPY_4(&tile[0][i], in + i); // MISTAKE
    COMMIT();
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) {
            COPY_4(&tile[(k + 1) % 2][i], in + (k + 1) * 96 + i); // MISTAKE
            COMMIT();
        }
#ifdef FIXED
        if (k + 1 == tiles) WAIT_GROUP(0);
#endif
        WAIT_GROUP(1);
        __syncthreads();
        out[k * 96 + i] = tile[k % 2][95 - i]; // MISTAKE
        __syncthreads();
    }
}

//# mistake refilled_too_early: the next copy goes to the tile that slower warps still read
//# launch --grid 1 --block 96 --arg i32[480]=iota --arg i32[480]=poison --arg i32=5
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void refilled_too_early(const int* in, int* out, int tiles) {
    __shared__ int tile[96];
    int i = threadIdx.x;
    for (int k = 0; k < tiles; ++k) {
        COPY_4(&tile[i], in + k * 96 + i); // MISTAKE
        WAIT_ALL(); // MISTAKE
        __syncthreads();
        out[k * 96 + i] = tile[95 - i]; // MISTAKE
#ifdef FIXED
        __syncthreads();
#endif
    }
}

//# mistake source_overwritten: the copy may read its source after the store that follows
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void source_overwritten(int* in, int* out) {
    __shared__ int tile[96];
    int i = threadIdx.x;
    COPY_4(&tile[i], in + i); // MISTAKE
#ifdef FIXED
    WAIT_ALL();
#endif
    in[i] = -1; // MISTAKE
    WAIT_ALL(); // MISTAKE
    __syncthreads();
    out[i] = tile[95 - i]; // MISTAKE
}

//# mistake copy_of_odd_start: 16 bytes at a time need a source at a multiple of 16
//# launch --grid 1 --block 24 --arg i32[97]=iota --arg i32[96]=poison
//# fixed --grid 1 --block 24 --arg i32[96]=iota --arg i32[96]=poison
//# finds misaligned uninitialized
//# gives 1 copy
extern "C" __global__ void copy_of_odd_start(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    int i = threadIdx.x;
#ifndef FIXED
    in += 1;
#endif
    COPY_16(&tile[4 * i], in + 4 * i); // MISTAKE
    WAIT_ALL();
    __syncthreads();
    for (int k = i; k < 96; k += 24) out[k] = tile[k]; // MISTAKE
}

//# mistake copy_past_the_end: the last copy is cut off in its destination, not in its source
//# launch --grid 1 --block 32 --arg i32[108]=iota --arg i32[108]=poison --arg i32=108
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void copy_past_the_end(const int* in, int* out, int n) {
    __shared__ __align__(16) int tile[128];
    int i = threadIdx.x;
#ifdef FIXED
    COPY_16_OF(&tile[4 * i], 4 * i < n ? in + 4 * i : in, 4 * i < n ? 16 : 0);
#else
    COPY_16(&tile[4 * i], in + 4 * i); // MISTAKE
#endif
    WAIT_ALL();
    __syncthreads();
    for (int k = i; k < n; k += 32) out[k] = tile[k];
}

//# mistake bytes_not_expected: the phase is over before the bulk copy, which nobody announced, has come
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void bytes_not_expected(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    __shared__ unsigned long long full;
    int i = threadIdx.x;
    if (i == 0) INIT(&full, 1);
    __syncthreads();
    if (i == 0) {
#ifdef FIXED
        EXPECT(&full, 384);
#else
        ARRIVE(&full);
#endif
        BULK(tile, in + blockIdx.x * 96, 384, &full); // MISTAKE
    }
    WAIT(&full, 0);
    out[blockIdx.x * 96 + i] = tile[95 - i]; // MISTAKE
}

//# mistake more_bytes_expected: elements are counted twice, and the bytes that are missing never come
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds mbarrier
//# gives 1 reversed 96
extern "C" __global__ void more_bytes_expected(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    __shared__ unsigned long long full;
    int i = threadIdx.x;
    if (i == 0) INIT(&full, 1);
    __syncthreads();
    if (i == 0) {
#ifdef FIXED
        EXPECT(&full, 384);
#else
        EXPECT(&full, 768);
#endif
        BULK(tile, in + blockIdx.x * 96, 384, &full);
    }
    WAIT(&full, 0); // MISTAKE
    out[blockIdx.x * 96 + i] = tile[95 - i];
}

//# mistake bulk_without_wait: the tile is read while the bulk copy fills it
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void bulk_without_wait(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    __shared__ unsigned long long full;
    int i = threadIdx.x;
    if (i == 0) INIT(&full, 1);
    __syncthreads();
    if (i == 0) {
        EXPECT(&full, 384);
        BULK(tile, in + blockIdx.x * 96, 384, &full); // MISTAKE
    }
#ifdef FIXED
    WAIT(&full, 0);
#else
    __syncthreads();
#endif
    out[blockIdx.x * 96 + i] = tile[95 - i]; // MISTAKE
}

//# mistake same_parity_again: the second wait is for the phase that is already over
//# launch --grid 1 --block 96 --arg i32[288]=iota --arg i32[288]=poison --arg i32=3
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void same_parity_again(const int* in, int* out, int tiles) {
    __shared__ __align__(16) int tile[96];
    __shared__ unsigned long long full;
    int i = threadIdx.x;
    if (i == 0) INIT(&full, 1);
    __syncthreads();
    for (int k = 0; k < tiles; ++k) {
        if (i == 0) {
            EXPECT(&full, 384);
            BULK(tile, in + k * 96, 384, &full); // MISTAKE
        }
#ifdef FIXED
        WAIT(&full, k % 2);
#else
        WAIT(&full, 0); // MISTAKE
#endif
        out[k * 96 + i] = tile[95 - i]; // MISTAKE
        __syncthreads();
    }
}

//# mistake too_many_expected: the mbarrier counts threads that never arrive
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds mbarrier
//# gives 1 reversed 96
extern "C" __global__ void too_many_expected(const int* in, int* out) {
    __shared__ int tile[96];
    __shared__ unsigned long long ready;
    int i = threadIdx.x;
#ifdef FIXED
    if (i == 0) INIT(&ready, 96);
#else
    if (i == 0) INIT(&ready, 128);
#endif
    __syncthreads();
    tile[i] = in[i];
    ARRIVE(&ready);
    WAIT(&ready, 0); // MISTAKE
    out[i] = tile[95 - i];
}

//# mistake mbarrier_not_initialized: nobody has said how many threads arrive
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds invalid_address race
//# gives 1 reversed 96
extern "C" __global__ void mbarrier_not_initialized(const int* in, int* out) {
    __shared__ int tile[96];
    __shared__ unsigned long long ready;
    int i = threadIdx.x;
#ifdef FIXED
    if (i == 0) INIT(&ready, 96);
    __syncthreads();
#endif
    tile[i] = in[i]; // MISTAKE
    ARRIVE(&ready); // MISTAKE
    WAIT(&ready, 0); // MISTAKE
    out[i] = tile[95 - i]; // MISTAKE
}

//# mistake bulk_of_odd_length: a bulk copy moves multiples of 16 bytes
//# launch --grid 1 --block 99 --arg i32[99]=iota --arg i32[99]=poison
//# fixed --grid 1 --block 100 --arg i32[100]=iota --arg i32[100]=poison
//# finds misaligned uninitialized
//# gives 1 copy
extern "C" __global__ void bulk_of_odd_length(const int* in, int* out) {
    __shared__ __align__(16) int tile[128];
    __shared__ unsigned long long full;
    int i = threadIdx.x, bytes = 4 * blockDim.x;
    if (i == 0) INIT(&full, 1);
    __syncthreads();
    if (i == 0) {
        EXPECT(&full, bytes);
        BULK(tile, in, bytes, &full); // MISTAKE
    }
    WAIT(&full, 0);
    out[i] = tile[i]; // MISTAKE
}

//# mistake bulk_store_not_waited: the tile changes while the bulk copy reads it
//# launch --grid 1 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 copy
extern "C" __global__ void bulk_store_not_waited(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    int i = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        tile[i] = in[k * 96 + i]; // MISTAKE
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (i == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + k * 96), "r"(SHARED(tile)), "r"(384) : "memory"); // MISTAKE
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#ifdef FIXED
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
        }
        __syncthreads();
    }
}

//# mistake proxy_fence_forgotten: the bulk copy may not see what the threads have stored
//# launch --grid 3 --block 96 --arg i32[288]=iota --arg i32[288]=poison
//# finds race
//# gives 1 copy
extern "C" __global__ void proxy_fence_forgotten(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    int i = threadIdx.x, first = blockIdx.x * 96;
    tile[i] = in[first + i]; // MISTAKE
#ifdef FIXED
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    if (i == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + first), "r"(SHARED(tile)), "r"(384) : "memory"); // MISTAKE
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

//# mistake proxy_fence_too_early: the fence comes before the stores
//# launch --grid 1 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 copy
extern "C" __global__ void proxy_fence_too_early(const int* in, int* out) {
    __shared__ __align__(16) int tile[96];
    int i = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
#ifndef FIXED
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        tile[i] = in[k * 96 + i]; // MISTAKE
        __syncthreads();
        if (i == 0) {
#ifdef FIXED
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + k * 96), "r"(SHARED(tile)), "r"(384) : "memory"); // MISTAKE
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}

//# mistake lanes_not_awaited: the fence is there, but nobody waits for the other lanes of the warp
//# launch --grid 3 --block 32 --arg i32[96]=iota --arg i32[96]=poison
//# finds race
//# gives 1 copy
extern "C" __global__ void lanes_not_awaited(const int* in, int* out) {
    __shared__ __align__(16) int tile[32];
    int i = threadIdx.x, first = blockIdx.x * 32;
    tile[i] = in[first + i]; // MISTAKE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#ifdef FIXED
    __syncwarp();
#endif
    if (i == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + first), "r"(SHARED(tile)), "r"(128) : "memory"); // MISTAKE
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); // MISTAKE
    }
}
