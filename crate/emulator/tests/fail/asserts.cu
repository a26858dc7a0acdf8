// Assertions of the kernel that do not hold.

//# mistake failed_assert: the kernel asserts what its input does not keep
//# launch --grid 2 --block 32 --arg i32[64]=iota --arg i32[64]=poison
//# finds assert
//# gives 1 copy
extern "C" __global__ void failed_assert(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    assert(in[i] < 64);
#else
    assert(in[i] < 50); // MISTAKE
#endif
    out[i] = in[i];
}
