// Loops that never end.

//# mistake no_progress: `continue` skips the step
//# launch --grid 1 --block 32 --arg i32[100]=iota --arg i32[32]=poison --arg i32=100
//# finds endless_loop
//# gives 1 sums_of_odd_from
extern "C" __global__ void no_progress(const int* in, int* out, int n) {
    int sum = 0, i = threadIdx.x;
    while (i < n) { // MISTAKE
#ifdef FIXED
        if (in[i] % 2 == 0) { i += 1; continue; }
#else
        if (((volatile const int*)in)[i] % 2 == 0) continue; // MISTAKE
#endif
        sum += in[i];
        i += 1; // MISTAKE
    }
    out[threadIdx.x] = sum;
}

//# mistake unsigned_countdown: an unsigned number is never below zero
//# launch --grid 1 --block 1 --arg i32[50]=iota --arg i32[50]=poison --arg u32=50
//# finds endless_loop out_of_bounds
//# gives 1 sums_from_the_end
extern "C" __global__ void unsigned_countdown(const int* in, int* out, unsigned n) {
    int sum = 0;
#ifdef FIXED
    for (unsigned i = n; i-- > 0;) {
#else
    for (unsigned i = n - 1; i >= 0; --i) { // MISTAKE
#endif
        sum += in[i]; // MISTAKE
        out[i] = sum; // MISTAKE
    }
}

//# mistake float_equality: ten times 0.1f is not 1
//# launch --grid 1 --block 32 --arg i32[32]=poison --arg f32=0.1
//# finds endless_loop
//# gives 0 tenths
extern "C" __global__ void float_equality(int* out, float step) {
    int steps = 0;
#ifdef FIXED
    for (float t = 0; t < 1 - step / 2; t += step) {
#else
    for (float t = 0; t != 1; t += step) { // MISTAKE
#endif
        steps += 1; // MISTAKE
        ((volatile int*)out)[threadIdx.x] = steps; // MISTAKE
    }
}

//# mistake stuck_search: a search that halves between neighbours never moves its lower end
//# launch --grid 1 --block 64 --arg i32[100]=iota --arg i32[64]=poison --arg i32=100
//# finds endless_loop
//# gives 1 copy 64
extern "C" __global__ void stuck_search(const int* sorted, int* out, int n) {
    int wanted = threadIdx.x, low = 0, high = n;
    while (low < high) { // MISTAKE
        int middle = (low + high) / 2; // MISTAKE
#ifdef FIXED
        if (sorted[middle] < wanted) low = middle + 1;
#else
        if (sorted[middle] < wanted) low = middle; // MISTAKE
#endif
        else high = middle; // MISTAKE
    }
    out[threadIdx.x] = low;
}

//# mistake lock_kept: one path leaves without giving the lock back
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[1]=zero --arg i32[1]=zero
//# finds endless_loop
//# gives 2 sum_of_not_thirteen
extern "C" __global__ void lock_kept(const int* in, int* lock, int* total) {
    int value = in[threadIdx.x];
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) { // MISTAKE
            __threadfence();
            if (value == 13) {
#ifdef FIXED
                atomicExch(lock, 0);
#endif
                return;
            }
            *(volatile int*)total += value;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

//# mistake step_of_zero: the stride is the integer quotient 48 / 64, which is 0
//# launch --grid 1 --block 64 --arg i32[48]=iota --arg i32[48]=poison --arg i32=48
//# finds endless_loop
//# gives 1 copy
extern "C" __global__ void step_of_zero(const int* in, int* out, int n) {
#ifdef FIXED
    int step = blockDim.x;
#else
    int step = n / blockDim.x;
#endif
    for (int i = threadIdx.x; i < n; i += step) ((volatile int*)out)[i] = in[i]; // MISTAKE
}

//# mistake flag_never_set: the block waits for a flag that nobody sets
//# launch --grid 3 --block 32 --arg i32[96]=iota --arg i32[96]=poison --arg i32[3]=zero
//# finds endless_loop
//# gives 1 copy
extern "C" __global__ void flag_never_set(const int* in, int* out, int* flags) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && threadIdx.x == 0) while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0) {} // MISTAKE
    __syncthreads();
    out[i] = in[i];
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1);
#endif
}

//# mistake stride_of_zero: the stride is given as 0; the compiler divides by it, to run four rounds at a time
//# launch --grid 1 --block 64 --arg i32[1000]=iota --arg i32[64]=poison --arg i32=1000 --arg i32=0
//# fixed --grid 1 --block 64 --arg i32[1000]=iota --arg i32[64]=poison --arg i32=1000 --arg i32=64
//# finds endless_loop
//# gives 1 sums_of_every_64th
extern "C" __global__ void stride_of_zero(const int* in, int* out, int n, int stride) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += stride) sum += in[i]; // MISTAKE
    out[blockDim.x - 1 - threadIdx.x] = sum;
}

//# mistake narrow_counter: a counter of 8 bits never comes to 300
//# launch --grid 1 --block 1 --arg i32[300]=iota --arg i32[300]=poison --arg i32=300
//# finds endless_loop
//# gives 1 copy
extern "C" __global__ void narrow_counter(const int* in, int* out, int n) {
#ifdef FIXED
    for (int i = 0; i < n; i++)
#else
    for (unsigned char i = 0; i < n; i++) // MISTAKE
#endif
        out[i] = in[i]; // MISTAKE
}
