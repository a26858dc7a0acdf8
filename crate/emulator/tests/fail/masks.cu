// Masks of collective instructions of a warp: who is named, who comes, who is read.

//# mistake ballot_in_branch: the vote waits for lanes that are in no branch with a vote
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds mask
//# gives 1 copy
extern "C" __global__ void ballot_in_branch(const int* in, int* out) {
    int i = threadIdx.x, value = in[i];
    if (i < 20) {
#ifdef FIXED
        unsigned votes = __ballot_sync(0x000fffff, value > 3);
#else
        unsigned votes = __ballot_sync(0xffffffff, value > 3); // MISTAKE
#endif
        out[i] = votes == 1 ? 0 : value;
    } else {
        out[i] = value;
    }
}

//# mistake caller_not_named: the upper lanes pass the mask of the lower ones
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds mask
//# gives 1 copy
extern "C" __global__ void caller_not_named(const int* in, int* out) {
    int i = threadIdx.x, value = in[i];
#ifdef FIXED
    unsigned mask = 0xffffffff;
#else
    unsigned mask = 0x0000ffff;
#endif
    int all = __any_sync(mask, value == 100000); // MISTAKE
    out[i] = value + all;
}

//# mistake read_outside_mask: the last lanes of the mask read past it
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds mask
//# gives 1 lower_half_sums
extern "C" __global__ void read_outside_mask(const int* in, int* out) {
    int i = threadIdx.x, value = in[i];
    if (i < 16) {
#ifdef FIXED
        for (int d = 8; d > 0; d /= 2) value += __shfl_down_sync(0x0000ffff, value, d, 16);
#else
        for (int d = 8; d > 0; d /= 2) value += __shfl_down_sync(0x0000ffff, value, d); // MISTAKE
#endif
    } else {
        value = -value;
        asm volatile("" : "+r"(value));
    }
    out[i] = i < 16 && i > 0 ? 0 : value;
}

//# mistake read_of_the_gone: lanes without an element have returned, and their values are read
//# launch --grid 1 --block 32 --arg i32[20]=iota --arg i32[1]=poison --arg i32=20
//# finds mask
//# gives 1 sum
extern "C" __global__ void read_of_the_gone(const int* in, int* out, int n) {
    int i = threadIdx.x;
#ifndef FIXED
    if (i >= n) return;
#endif
    int value = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d); // MISTAKE
    if (i == 0) *out = value;
}

//# mistake reduction_in_loop: lanes leave the loop one after the other, the mask stays full
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds mask
//# gives 1 copy
extern "C" __global__ void reduction_in_loop(const int* in, int* out) {
    int i = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        int wanted = k <= i / 8;
#ifdef FIXED
        __ballot_sync(0xffffffff, wanted);
#else
        if (wanted) __syncwarp(); // MISTAKE
#endif
        if (wanted) out[i] = in[i];
    }
}
