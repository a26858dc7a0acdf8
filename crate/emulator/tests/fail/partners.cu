// `__syncwarp(mask)` and tiles that leave out lanes between which something passes.

//# mistake halves_exchange: each half of the warp meets by itself, and each reads what the other has stored
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 reversed 32
extern "C" __global__ void halves_exchange(const int* in, int* out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = in[i]; // MISTAKE
#ifdef FIXED
    __syncwarp();
#else
    __syncwarp(i < 16 ? 0x0000ffff : 0xffff0000);
#endif
    out[i] = tile[31 - i]; // MISTAKE
}

//# mistake half_left_out: the lower half meets, and reads what the upper half has stored
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 reversed 32
extern "C" __global__ void half_left_out(const int* in, int* out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = in[i]; // MISTAKE
#ifdef FIXED
    __syncwarp();
    out[i] = tile[31 - i];
#else
    if (i < 16) {
        __syncwarp(0x0000ffff);
        out[i] = tile[31 - i]; // MISTAKE
    } else {
        out[i] = in[31 - i];
    }
#endif
}

//# mistake tile_of_eight: eight threads are synchronised, and sixteen exchange
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 1 sixteenths_added
extern "C" __global__ void tile_of_eight(const int* in, int* out) {
    __shared__ int sums[64];
    int i = threadIdx.x, lane = i % 32;
#ifdef FIXED
    unsigned tile = 0xffffu << lane / 16 * 16;
#else
    unsigned tile = 0xffu << lane / 8 * 8;
#endif
    sums[i] = in[i]; // MISTAKE
    __syncwarp(tile);
    for (int d = 8; d > 0; d /= 2) {
        int other = sums[i ^ d]; // MISTAKE
        __syncwarp(tile);
        sums[i] += other; // MISTAKE
        __syncwarp(tile);
    }
    out[i] = sums[i];
}

//# mistake tile_of_eight_volatile: the same, by a volatile array
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 pairs_of_eights_exchanged
extern "C" __global__ void tile_of_eight_volatile(const int* in, int* out) {
    __shared__ volatile int tile[32];
    int i = threadIdx.x;
    tile[i] = in[i]; // MISTAKE
#ifdef FIXED
    __syncwarp(0xffffu << i / 16 * 16);
#else
    __syncwarp(0xffu << i / 8 * 8);
#endif
    out[i] = tile[i ^ 8]; // MISTAKE
}

//# mistake tile_in_global: the exchange goes through global memory
//# launch --grid 2 --block 32 --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 1 pairs_of_eights_exchanged
extern "C" __global__ void tile_in_global(int* values, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    values[i] = i; // MISTAKE
#ifdef FIXED
    __syncwarp();
#else
    __syncwarp(0xffu << i % 32 / 8 * 8);
#endif
    out[i] = values[i ^ 8]; // MISTAKE
}

//# mistake overwritten_by_the_neighbour: a tile is filled again while the next one still reads it
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 pairs_of_eights_exchanged
extern "C" __global__ void overwritten_by_the_neighbour(const int* in, int* out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = in[i];
    __syncwarp();
    int other = tile[i ^ 8]; // MISTAKE
#ifdef FIXED
    __syncwarp(0xffffu << i / 16 * 16);
#else
    __syncwarp(0xffu << i / 8 * 8);
#endif
    tile[i] = -1; // MISTAKE
    out[i] = other;
}
