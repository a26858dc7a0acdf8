// y[i] = 3 * x[i] + add, modulo 2^32, through a ring of two stages that bulk copies fill.
//
// x, y: items numbers, a multiple of 4. Block 256; it covers 4096 items, eight pieces of 512.
// While a piece is worked on, the next one is on its way.

constexpr unsigned piece_items = 512, stages = 2;

__device__ unsigned in_shared(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

// An mbarrier whose phase ends when one thread has arrived and all bytes have come that it expects.
__device__ void make_mbarrier(unsigned long long* mbarrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(in_shared(mbarrier)) : "memory");
}

// Makes new mbarriers known to the bulk copy engine.
__device__ void fence_mbarriers()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Arrives at the mbarrier, says how many bytes (a multiple of 16) its phase expects, and starts the bulk copy that brings them.
__device__ void start_load(unsigned* to, const unsigned* from, unsigned bytes, unsigned long long* mbarrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(in_shared(mbarrier)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(in_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(in_shared(mbarrier)) : "memory");
}

// Waits until a phase of this parity has ended. The phases of an mbarrier are numbered 0, 1, 2 …; the parity of the
// phase is its number modulo 2. One wait covers the phase that is under way or the one that has just ended.
__device__ void wait_for_phase(unsigned long long* mbarrier, unsigned parity)
{
    for (unsigned has_ended = 0; !has_ended;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(has_ended) : "r"(in_shared(mbarrier)), "r"(parity) : "memory");
}

extern "C" __global__ void ring_phases(const unsigned* x, unsigned* y, unsigned items, unsigned add)
{
    __shared__ alignas(128) unsigned ring[stages][piece_items];
    __shared__ unsigned long long full[stages]; // mbarriers

    const unsigned first = blockIdx.x * 4096, end = items - first < 4096 ? items : first + 4096;
    const unsigned pieces = (end - first + piece_items - 1) / piece_items;
    const auto load = [&](unsigned piece) {
        const unsigned at = first + piece * piece_items, stage = piece % stages;
        const unsigned length = end - at < piece_items ? end - at : piece_items;
        start_load(ring[stage], x + at, 4 * length, &full[stage]);
    };

    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < stages; stage++)
            make_mbarrier(&full[stage]);
        fence_mbarriers();
        for (unsigned piece = 0; piece < stages && piece < pieces; piece++)
            load(piece);
    }
    __syncthreads();

    for (unsigned piece = 0; piece < pieces; piece++) {
        const unsigned stage = piece % stages, at = first + piece * piece_items;
//@ starter
        // TODO Right for the first two pieces of a block. Which phase of its mbarrier brings the third piece?
        wait_for_phase(&full[stage], 0);
//@ barrier_before_the_wait
        // The stage of the piece before is free when everybody has come here.
        __syncthreads();
        if (threadIdx.x == 0 && piece > 0 && piece - 1 + stages < pieces)
            load(piece - 1 + stages);
        wait_for_phase(&full[stage], piece / stages % 2);
//@ solution
        // Piece 0 and 1 come in phase 0 of their mbarriers, 2 and 3 in phase 1, 4 and 5 in phase 2 …
        wait_for_phase(&full[stage], piece / stages % 2);
//@ flips_with_each_piece
        wait_for_phase(&full[stage], piece % 2);
//@ waits_for_the_one_before
        wait_for_phase(&full[stage], (piece / stages + 1) % 2);
//@ no_wait
        // Nobody waits.
//@ one_thread_waits
        if (threadIdx.x == 0)
            wait_for_phase(&full[stage], piece / stages % 2);
//@ end
        for (unsigned k = threadIdx.x; k < piece_items; k += 256)
            if (at + k < end)
                y[at + k] = 3 * ring[stage][k] + add;
//@ starter
        // TODO The stage gets the piece after next. Has everybody read it by now?
        if (threadIdx.x == 0 && piece + stages < pieces)
            load(piece + stages);
//@ barrier_before_the_wait
//@ solution
        // Everybody must have read the stage before the next piece comes there.
        __syncthreads();
        if (threadIdx.x == 0 && piece + stages < pieces)
            load(piece + stages);
//@ no_barrier
        if (threadIdx.x == 0 && piece + stages < pieces)
            load(piece + stages);
//@ behind_the_start
        if (threadIdx.x == 0 && piece + stages < pieces)
            load(piece + stages);
        __syncthreads();
//@ next_piece_here
        __syncthreads();
        if (threadIdx.x == 0 && piece + stages < pieces) {
            const unsigned next = first + (piece + 1) * piece_items;
            start_load(ring[stage], x + next, 4 * piece_items, &full[stage]);
        }
//@ end
    }
}
