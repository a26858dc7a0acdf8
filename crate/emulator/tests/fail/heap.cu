// Memory that device code allocates itself.

//# mistake counters_not_cleared: `malloc` gives memory as it is
//# launch --grid 2 --block 32 --arg u32[512]=random:5 --arg i32[16]=zero
//# finds uninitialized
//# gives 1 histogram 16
extern "C" __global__ void counters_not_cleared(const unsigned* in, int* bins) {
    int* own = (int*)malloc(16 * sizeof(int));
    int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
    for (int b = 0; b < 16; ++b) own[b] = 0;
#endif
    for (int k = 0; k < 8; ++k) own[in[8 * i + k] % 16] += 1; // MISTAKE
    for (int b = 0; b < 16; ++b) atomicAdd(&bins[b], own[b]); // MISTAKE
    free(own);
}

//# mistake heap_tile: the block's tile is on the heap, and its barrier is missing
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 reversed 64
extern "C" __global__ void heap_tile(const int* in, int* out) {
    __shared__ int* tile;
    int i = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0) tile = (int*)malloc(64 * sizeof(int));
    __syncthreads();
    tile[threadIdx.x] = in[i]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = tile[63 - threadIdx.x]; // MISTAKE
    __syncthreads();
    if (threadIdx.x == 0) free(tile);
}

//# mistake freed_too_early: the first thread gives the tile back while others may still read it
//# launch --grid 3 --block 64 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 reversed 64
extern "C" __global__ void freed_too_early(const int* in, int* out) {
    __shared__ int* tile;
    int i = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0) tile = (int*)malloc(64 * sizeof(int));
    __syncthreads();
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[63 - threadIdx.x]; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 0) free(tile); // MISTAKE
}

//# mistake published_too_early: the other block may get the node before what is stored in it
//# launch --grid 2 --block 1 --arg i32[2]=zero --arg i32[1]=poison
//# finds race
//# gives 1 answer
extern "C" __global__ void published_too_early(unsigned long long* mailbox, int* out) {
    if (blockIdx.x == 0) {
        int* node = (int*)malloc(sizeof(int));
        *node = 42; // MISTAKE
#ifdef FIXED
        __threadfence();
#endif
        atomicExch(mailbox, (unsigned long long)node);
    } else {
        unsigned long long node = 0;
        while (node == 0) node = atomicAdd(mailbox, 0ull);
        __threadfence();
        *out = *(int*)node; // MISTAKE
    }
}
