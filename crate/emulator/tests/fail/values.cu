// Values that nobody has given: quotients by 0, and variables that were never set.

//# mistake shares_of_none: the number of parts may be 0
//# launch --grid 1 --block 48 --arg i32[48]=iota --arg i32[48]=poison --arg i32=0
//# finds division
//# gives 1 copy
extern "C" __global__ void shares_of_none(const int* in, int* out, int parts) {
    int i = threadIdx.x;
#ifdef FIXED
    out[i] = parts == 0 ? in[i] : in[i] / parts;
#else
    out[i] = in[i] / parts; // MISTAKE
#endif
}

//# mistake remainder_by_nothing: some of the divisors are 0
//# launch --grid 2 --block 32 --arg u32[64]=random:3 --arg u32[64]=iota --arg u32[64]=poison
//# finds division
//# gives 2 remainders
extern "C" __global__ void remainder_by_nothing(const unsigned* in, const unsigned* by, unsigned* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
    out[i] = by[i] == 0 ? in[i] : in[i] % by[i];
#else
    out[i] = in[i] % by[i]; // MISTAKE
#endif
}

//# mistake long_quotient: the same of 64 bits
//# launch --grid 1 --block 64 --arg u32[64]=random:3 --arg u32[64]=iota --arg u32[64]=poison
//# finds division
//# gives 2 long_remainders
extern "C" __global__ void long_quotient(const unsigned* in, const unsigned* by, unsigned* out) {
    int i = threadIdx.x;
#ifdef FIXED
    long long divisor = by[i] == 0 ? 1ll << 40 : (long long)by[i] << 30;
    out[i] = (unsigned)(((long long)in[i] << 31) / divisor);
#else
    out[i] = (unsigned)(((long long)in[i] << 31) / ((long long)by[i] << 30)); // MISTAKE
#endif
}

//# mistake sum_without_start: the sum does not begin at 0
//# launch --grid 1 --block 32 --arg i32[40]=iota --arg i32[32]=poison --arg i32=40
//# finds uninitialized
//# gives 1 sum_and_own 32
extern "C" __global__ void sum_without_start(const int* in, int* out, int n) {
    int i = threadIdx.x;
#ifdef FIXED
    int sum = 0;
#else
    int sum;
#endif
    for (int k = 0; k < n; ++k) sum += in[k];
    out[i] = sum + in[i]; // MISTAKE
}

//# mistake set_in_a_branch: every third thread has set nothing
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison
//# finds uninitialized
//# gives 1 copy
extern "C" __global__ void set_in_a_branch(const int* in, int* out) {
    int i = threadIdx.x, value;
#ifdef FIXED
    value = in[i];
#endif
    if (i % 3 != 0) value = in[i];
    out[i] = value; // MISTAKE
}

//# mistake place_of_no_largest: nothing is larger than the first guess, and so nothing is found
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison --arg i32=32 --arg i32=100
//# finds uninitialized
//# gives 1 copy
extern "C" __global__ void place_of_no_largest(const int* in, int* out, int n, int most) {
    int i = threadIdx.x, at;
#ifdef FIXED
    at = 0;
#endif
    for (int k = 0; k < n; ++k) {
        if (in[k] > most) {
            most = in[k];
            at = k;
        }
    }
    out[i] = i + in[at]; // MISTAKE
}

//# mistake sum_of_the_warp: what the lanes add up begins anywhere
//# launch --grid 1 --block 32 --arg i32[75]=iota --arg i32[1]=poison --arg i32=75
//# finds uninitialized
//# gives 1 sum
extern "C" __global__ void sum_of_the_warp(const int* in, int* out, int n) {
    int i = threadIdx.x, sum;
#ifdef FIXED
    sum = 0;
#endif
    for (int k = i; k < n; k += 32) sum += in[k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d); // MISTAKE
    if (i == 0) *out = sum;
}

//# mistake leader_takes_nothing: nobody takes the place that all ask the first lane for
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison --arg i32[1]=zero --arg i32=40
//# fixed --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison --arg i32[1]=zero --arg i32=0
//# finds uninitialized
//# gives 1 copy
extern "C" __global__ void leader_takes_nothing(const int* in, int* out, int* taken, int leader) {
    int i = threadIdx.x, first;
    if (i == leader) first = atomicAdd(taken, 32);
    first = __shfl_sync(0xffffffff, first, leader); // MISTAKE
    out[first + i] = in[i]; // MISTAKE
}
