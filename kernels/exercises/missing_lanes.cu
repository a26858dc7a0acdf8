// A histogram of 512 bins: counts[(x[i] >> shift) % 512] grows by 1.
//
// x: items numbers, of which those that lie near each other fall into few bins; counts: 512, all
// zero before the launch. Block 256; it covers 1024 items, four a thread.

extern "C" __global__ void missing_lanes(const unsigned* __restrict__ x, unsigned* __restrict__ counts,
                                         unsigned items, unsigned shift)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;

//@ starter
    // TODO The lanes of a bin find each other, and the lowest of them adds for all. That is right where
    // 32 divides the number of items. Elsewhere the mask names lanes that are not there.
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned bin = (x[first + k] >> shift) % 512;
            const unsigned same = __match_any_sync(0xffffffff, bin);
            if (lane == __ffs(same) - 1)
                atomicAdd(&counts[bin], __popc(same));
        }
//@ solution
    for (unsigned k = 0; k < 1024; k += 256) {
        // All lanes are here, and find out which of them have a number.
        const unsigned here = __ballot_sync(0xffffffff, first + k < items);
        if (first + k < items) {
            const unsigned bin = (x[first + k] >> shift) % 512;
            const unsigned same = __match_any_sync(here, bin);
            if (lane == __ffs(same) - 1)
                atomicAdd(&counts[bin], __popc(same));
        }
    }
//@ a_bin_of_their_own
    for (unsigned k = 0; k < 1024; k += 256) {
        // A lane without a number takes part, with a bin that no number has.
        const bool is_here = first + k < items;
        const unsigned bin = is_here ? (x[first + k] >> shift) % 512 : 512;
        const unsigned same = __match_any_sync(0xffffffff, bin);
        if (is_here && lane == 31 - __clz(same))
            atomicAdd(&counts[bin], __popc(same));
    }
//@ counted_in_advance
    for (unsigned k = 0; k < 1024; k += 256) {
        // How many lanes have a number can be computed.
        const size_t start = first + k - lane;
        if (first + k < items) {
            const unsigned left = items - start < 32 ? unsigned(items - start) : 32;
            const unsigned here = 0xffffffff >> (32 - left);
            const unsigned bin = (x[first + k] >> shift) % 512;
            const unsigned same = __match_any_sync(here, bin);
            if (lane == __ffs(same) - 1)
                atomicAdd(&counts[bin], __popc(same));
        }
    }
//@ each_by_itself
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            atomicAdd(&counts[(x[first + k] >> shift) % 512], 1);
//@ in_bin_zero
    // A lane without a number takes part as if its number were 0.
    for (unsigned k = 0; k < 1024; k += 256) {
        const unsigned number = first + k < items ? x[first + k] : 0;
        const unsigned bin = (number >> shift) % 512;
        const unsigned same = __match_any_sync(0xffffffff, bin);
        if (lane == __ffs(same) - 1)
            atomicAdd(&counts[bin], __popc(same));
    }
//@ asked_inside
    // Only lanes that have a number come to the ballot, whose mask names all.
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned here = __ballot_sync(0xffffffff, true);
            const unsigned bin = (x[first + k] >> shift) % 512;
            const unsigned same = __match_any_sync(here, bin);
            if (lane == __ffs(same) - 1)
                atomicAdd(&counts[bin], __popc(same));
        }
//@ lane_zero_adds
    for (unsigned k = 0; k < 1024; k += 256) {
        const unsigned here = __ballot_sync(0xffffffff, first + k < items);
        if (first + k < items) {
            const unsigned bin = (x[first + k] >> shift) % 512;
            const unsigned same = __match_any_sync(here, bin);
            if (lane == 0)
                atomicAdd(&counts[bin], __popc(same));
        }
    }
//@ all_of_them
    // Adds as many as have a number, whatever their bins.
    for (unsigned k = 0; k < 1024; k += 256) {
        const unsigned here = __ballot_sync(0xffffffff, first + k < items);
        if (first + k < items) {
            const unsigned bin = (x[first + k] >> shift) % 512;
            const unsigned same = __match_any_sync(here, bin);
            if (lane == __ffs(same) - 1)
                atomicAdd(&counts[bin], __popc(here));
        }
    }
//@ end
}
