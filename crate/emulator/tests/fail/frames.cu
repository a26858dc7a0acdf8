// Pointers to local memory: that of another thread, and that of a function that has returned.

//# mistake pointer_to_anothers: the first thread hands out the address of its own variable
//# launch --grid 2 --block 64 --arg i32[128]=iota --arg i32[128]=poison
//# finds invalid_address
//# gives 1 minus_first 64
extern "C" __global__ void pointer_to_anothers(const int* in, int* out) {
    __shared__ const int* where;
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    __shared__ int first;
    if (threadIdx.x == 0) first = in[i];
    if (threadIdx.x == 0) where = &first;
#else
    int first = in[i];
    if (threadIdx.x == 0) where = &first;
#endif
    __syncthreads();
    out[i] = in[i] - *(const volatile int*)where; // MISTAKE
}

//# mistake pointer_by_shuffle: each thread looks into its neighbour's array
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison --arg i32=1
//# finds invalid_address
//# gives 1 copy
extern "C" __global__ void pointer_by_shuffle(const int* in, int* out, int at) {
    int own[4];
    int i = threadIdx.x;
    for (int k = 0; k < 4; ++k) own[(k + i) % 4] = in[i];
    unsigned long long mine = (unsigned long long)&own[0];
#ifdef FIXED
    out[i] = ((volatile int*)mine)[(at + i) % 4];
#else
    unsigned long long theirs = __shfl_xor_sync(0xffffffff, mine, 1);
    out[i] = ((volatile int*)theirs)[(at + i) % 4]; // MISTAKE
#endif
}

//# mistake address_of_a_parameter: the function gives the address of a variable that is gone when it returns
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds invalid_address
//# gives 1 doubled
__device__ __noinline__ int* doubled(int value, int* into, int** where) {
    int own[2] = {2 * value, value};
    *where = own;
    *into = own[value < 0];
    return into;
}
extern "C" __global__ void address_of_a_parameter(const int* in, int* out) {
    int i = threadIdx.x;
    int mine = 0;
    int* where = 0;
    int* kept = doubled(in[i], &mine, &where);
#ifdef FIXED
    out[i] = *(volatile int*)kept;
#else
    out[i] = *(volatile int*)where; // MISTAKE
#endif
}

//# mistake frame_of_the_recursion: the deepest call hands out its own array
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison
//# finds invalid_address
//# gives 1 copy
__device__ __noinline__ int descend(int depth, int value, int** where) {
    volatile int own[2];
    own[depth & 1] = value;
    if (depth == 0) {
        *where = (int*)own;
        return value;
    }
    return descend(depth - 1, value, where) + 0 * own[depth & 1];
}
extern "C" __global__ void frame_of_the_recursion(const int* in, int* out) {
    int i = threadIdx.x;
    int* where = 0;
    int value = descend(2 + (i & 1), in[i], &where);
#ifdef FIXED
    out[i] = value;
#else
    out[i] = *(volatile int*)where + 0 * value; // MISTAKE
#endif
}
