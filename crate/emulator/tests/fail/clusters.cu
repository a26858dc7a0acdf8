// Blocks of a cluster that use each other's shared memory, or their barrier, in a wrong way.
//# arch compute_90

#define RANK(name) unsigned name; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(name))
#define ARRIVE() asm volatile("barrier.cluster.arrive.aligned;" ::: "memory")
#define WAIT() asm volatile("barrier.cluster.wait.aligned;" ::: "memory")
#define SYNC() asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory")
#define ADDRESS(name, of) unsigned name = (unsigned)__cvta_generic_to_shared(of)
#define IN_BLOCK(address, rank) asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(rank))
#define LOAD(value, address) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory")
#define STORE(address, value) asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(address), "r"(value) : "memory")

//# mistake no_cluster_barrier_after_write: the other block's row may not be written yet
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds race uninitialized
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) no_cluster_barrier_after_write(const int* in, int* out) {
    __shared__ int row[96];
    RANK(rank);
    int i = blockIdx.x * 96 + threadIdx.x, value;
    SYNC();
    row[threadIdx.x] = in[i]; // MISTAKE
#ifdef FIXED
    SYNC();
#else
    __syncthreads();
#endif
    ADDRESS(there, &row[95 - threadIdx.x]);
    IN_BLOCK(there, rank ^ 1);
    LOAD(value, there); // MISTAKE
    out[i] = value;
    SYNC();
}

//# mistake no_cluster_barrier_at_end: the first block has ended when the second one reads its row
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds invalid_address
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) no_cluster_barrier_at_end(const int* in, int* out) {
    __shared__ int row[96];
    RANK(rank);
    int i = blockIdx.x * 96 + threadIdx.x, value;
    row[threadIdx.x] = in[i];
    SYNC();
    ADDRESS(there, &row[95 - threadIdx.x]);
    IN_BLOCK(there, rank ^ 1);
    LOAD(value, there); // MISTAKE
    out[i] = value;
#ifdef FIXED
    SYNC();
#endif
}

//# mistake no_cluster_barrier_at_start: the other block may not have begun when its row is written
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds invalid_address
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) no_cluster_barrier_at_start(const int* in, int* out) {
    __shared__ int row[96];
    RANK(rank);
    int i = blockIdx.x * 96 + threadIdx.x;
#ifdef FIXED
    SYNC();
#endif
    ADDRESS(there, &row[95 - threadIdx.x]);
    IN_BLOCK(there, rank ^ 1);
    STORE(there, in[i]); // MISTAKE
    SYNC();
    out[i] = row[threadIdx.x];
}

//# mistake rank_outside_the_cluster: the last block's neighbour is none
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds invalid_address
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) rank_outside_the_cluster(const int* in, int* out) {
    __shared__ int row[96];
    RANK(rank);
    int i = blockIdx.x * 96 + threadIdx.x, value;
    row[threadIdx.x] = in[i];
    SYNC();
    ADDRESS(there, &row[95 - threadIdx.x]);
#ifdef FIXED
    IN_BLOCK(there, (rank + 1) % 2);
#else
    IN_BLOCK(there, rank + 1);
#endif
    LOAD(value, there); // MISTAKE
    out[i] = value;
    SYNC();
}

//# mistake half_of_the_row_unwritten: a part of what the other block reads is never written
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds uninitialized
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) half_of_the_row_unwritten(const int* in, int* out) {
    __shared__ int row[96];
    RANK(rank);
    int i = blockIdx.x * 96 + threadIdx.x, value;
#ifndef FIXED
    if (threadIdx.x < 48)
#endif
        row[threadIdx.x] = in[i];
    SYNC();
    ADDRESS(there, &row[95 - threadIdx.x]);
    IN_BLOCK(there, rank ^ 1);
    LOAD(value, there); // MISTAKE
    out[i] = value;
    SYNC();
}

//# mistake overwritten_while_read: a block stores the next value to a row that the other one still reads
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds race
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) overwritten_while_read(const int* in, int* out) {
    __shared__ int row[96];
    RANK(rank);
    int i = blockIdx.x * 96 + threadIdx.x, value;
    row[threadIdx.x] = in[i];
    SYNC();
    ADDRESS(there, &row[95 - threadIdx.x]);
    IN_BLOCK(there, rank ^ 1);
    LOAD(value, there); // MISTAKE
    out[i] = value;
#ifdef FIXED
    SYNC();
#endif
    row[threadIdx.x] = 0; // MISTAKE
    SYNC();
}

//# mistake arrives_and_never_waits: half a barrier keeps nobody from going on
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds barrier_divergence
//# gives 1 reversed 96
extern "C" __global__ void __cluster_dims__(2) arrives_and_never_waits(const int* in, int* out) {
    __shared__ int row[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    row[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = row[95 - threadIdx.x];
    ARRIVE(); // MISTAKE
#ifdef FIXED
    WAIT();
#endif
}

//# mistake half_a_warp_at_the_cluster_barrier: an aligned barrier is for whole warps
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds barrier_divergence
//# gives 1 reversed 96
extern "C" __global__ void __cluster_dims__(2) half_a_warp_at_the_cluster_barrier(const int* in, int* out) {
    __shared__ int row[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    row[threadIdx.x] = in[i];
#ifdef FIXED
    SYNC();
#else
    if (threadIdx.x % 32 < 20) SYNC(); // MISTAKE
    else SYNC(); // MISTAKE
#endif
    __syncthreads();
    out[i] = row[95 - threadIdx.x];
}

#define INIT(barrier) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" :: "r"(barrier) : "memory")
#define EXPECT(barrier, bytes) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory")
#define RECEIVE(barrier) asm volatile("{ .reg .pred done; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0; @!done bra AGAIN; }" :: "r"(barrier) : "memory")
#define TO_BOTH(to, from, bytes, barrier) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(to), "l"(from), "r"(bytes), "r"(barrier), "h"((unsigned short)3) : "memory")

//# mistake multicast_not_waited_for: the barrier of the cluster joins threads, and the other block's copy is none
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds race
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) multicast_not_waited_for(const int* in, int* out) {
    __shared__ __align__(16) int row[192];
    __shared__ unsigned long long barrier;
    RANK(rank);
    ADDRESS(full, &barrier);
    ADDRESS(part, &row[96 * rank]);
    if (threadIdx.x == 0) {
        INIT(full);
        EXPECT(full, 768);
    }
    SYNC();
    if (threadIdx.x == 0) TO_BOTH(part, in + blockIdx.x * 96, 384, full); // MISTAKE
#ifdef FIXED
    RECEIVE(full);
#else
    SYNC();
#endif
    out[blockIdx.x * 96 + threadIdx.x] = row[191 - 96 * rank - threadIdx.x]; // MISTAKE
    RECEIVE(full);
    SYNC();
}

//# mistake one_thread_waits_for_the_multicast: the other warps have met nobody who has waited
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds race uninitialized
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) one_thread_waits_for_the_multicast(const int* in, int* out) {
    __shared__ __align__(16) int row[192];
    __shared__ unsigned long long barrier;
    RANK(rank);
    ADDRESS(full, &barrier);
    ADDRESS(part, &row[96 * rank]);
    if (threadIdx.x == 0) {
        INIT(full);
        EXPECT(full, 768);
    }
    SYNC();
    if (threadIdx.x == 0) {
        TO_BOTH(part, in + blockIdx.x * 96, 384, full); // MISTAKE
        RECEIVE(full);
    }
#ifdef FIXED
    __syncthreads();
#endif
    out[blockIdx.x * 96 + threadIdx.x] = row[191 - 96 * rank - threadIdx.x]; // MISTAKE
    SYNC();
}

//# mistake slot_taken_too_early: the second tile goes to both blocks when one of them has read the first
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void __cluster_dims__(2) slot_taken_too_early(const int* in, int* out) {
    __shared__ __align__(16) int slot[96];
    __shared__ unsigned long long barriers[2];
    RANK(rank);
    ADDRESS(full, barriers);
    ADDRESS(tile, slot);
    if (threadIdx.x == 0) {
        INIT(full);
        INIT(full + 8);
        EXPECT(full, 384);
        EXPECT(full + 8, 384);
    }
    SYNC();
    if (rank == 0 && threadIdx.x == 0) TO_BOTH(tile, in, 384, full); // MISTAKE
    RECEIVE(full);
    int first = slot[95 - threadIdx.x]; // MISTAKE
#ifdef FIXED
    SYNC();
#else
    __syncthreads();
#endif
    if (rank == 0 && threadIdx.x == 0) TO_BOTH(tile, in + 96, 384, full + 8); // MISTAKE
    RECEIVE(full + 8);
    int second = slot[95 - threadIdx.x]; // MISTAKE
    if (threadIdx.x % 2 == rank) {
        out[threadIdx.x] = first;
        out[96 + threadIdx.x] = second;
    }
    SYNC();
}

//# mistake sent_store_not_waited_for: st.async is no store of the thread's: only its mbarrier says when it has come
//# launch --grid 4 --block 96 --arg i32[384]=iota --arg i32[384]=poison
//# finds race
//# gives 1 reversed 192
extern "C" __global__ void __cluster_dims__(2) sent_store_not_waited_for(const int* in, int* out) {
    __shared__ int row[96];
    __shared__ unsigned long long barrier;
    RANK(rank);
    ADDRESS(full, &barrier);
    ADDRESS(there, &row[95 - threadIdx.x]);
    if (threadIdx.x == 0) {
        INIT(full);
        EXPECT(full, 384);
    }
    SYNC();
    unsigned theirs = full;
    IN_BLOCK(there, rank ^ 1);
    IN_BLOCK(theirs, rank ^ 1);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(there), "r"(in[blockIdx.x * 96 + threadIdx.x]), "r"(theirs) : "memory"); // MISTAKE
#ifdef FIXED
    RECEIVE(full);
#else
    SYNC();
#endif
    out[blockIdx.x * 96 + threadIdx.x] = row[threadIdx.x]; // MISTAKE
    RECEIVE(full);
    SYNC();
}
