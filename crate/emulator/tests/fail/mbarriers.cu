// mbarriers: made before they are used, made once, and waited for phase by phase.

#define SHARED(pointer) static_cast<unsigned>(__cvta_generic_to_shared(pointer))
#define INIT(barrier, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(SHARED(barrier)), "r"(count) : "memory")
#define ARRIVE(barrier) asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" :: "r"(SHARED(barrier)) : "memory")
#define WAIT(barrier, parity) asm volatile("{ .reg .pred done; AGAIN: mbarrier.test_wait.parity.shared.b64 done, [%0], %1; @!done bra AGAIN; }" :: "r"(SHARED(barrier)), "r"(parity) : "memory")
//# arch sm_90

//# mistake used_before_init: other warps may arrive before the first has made the mbarrier
//# launch --grid 2 --block 96 --arg i32[192]=iota --arg i32[192]=poison
//# finds race
//# gives 1 reversed 96
extern "C" __global__ void used_before_init(const int* in, int* out) {
    __shared__ int tile[96];
    __shared__ unsigned long long ready;
    int i = threadIdx.x, first = blockIdx.x * 96;
    if (i == 0) INIT(&ready, 96); // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    tile[i] = in[first + i];
    ARRIVE(&ready); // MISTAKE
    WAIT(&ready, 0);
    out[first + i] = tile[95 - i];
}

//# mistake only_waited_before_init: the warps that only wait need the mbarrier as much as those that arrive
//# launch --grid 1 --block 64 --arg i32[32]=iota --arg i32[32]=poison
//# finds race
//# gives 1 reversed 32
extern "C" __global__ void only_waited_before_init(const int* in, int* out) {
    __shared__ int tile[32];
    __shared__ unsigned long long ready;
    int i = threadIdx.x;
    if (i == 0) INIT(&ready, 32); // MISTAKE
    __syncwarp();
#ifdef FIXED
    __syncthreads();
#endif
    if (i < 32) {
        tile[i] = in[i];
        ARRIVE(&ready); // MISTAKE
    } else {
        WAIT(&ready, 0); // MISTAKE
        out[i - 32] = tile[63 - i];
    }
}

//# mistake initialised_again: the second phase is begun by making the mbarrier anew, while others still use it
//# launch --grid 1 --block 96 --arg i32[192]=iota --arg i32[192]=poison --arg i32=2
//# finds mbarrier race
//# gives 1 reversed 96
extern "C" __global__ void initialised_again(const int* in, int* out, int tiles) {
    __shared__ int tile[96];
    __shared__ unsigned long long ready;
    int i = threadIdx.x;
    if (i == 0) INIT(&ready, 96);
    __syncthreads();
    for (int k = 0; k < tiles; ++k) {
        tile[i] = in[k * 96 + i];
        ARRIVE(&ready); // MISTAKE
#ifdef FIXED
        WAIT(&ready, k % 2);
#else
        if (i == 0) INIT(&ready, 96); // MISTAKE
        WAIT(&ready, 0); // MISTAKE
#endif
        out[k * 96 + i] = tile[95 - i];
        __syncthreads();
    }
}

//# mistake parity_off_by_one: the first phase has parity 0
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds mbarrier
//# gives 1 reversed 96
extern "C" __global__ void parity_off_by_one(const int* in, int* out) {
    __shared__ int tile[96];
    __shared__ unsigned long long ready;
    int i = threadIdx.x;
    if (i == 0) INIT(&ready, 96);
    __syncthreads();
    tile[i] = in[i];
    ARRIVE(&ready);
#ifdef FIXED
    WAIT(&ready, 0);
#else
    WAIT(&ready, 1); // MISTAKE
#endif
    out[i] = tile[95 - i];
}
