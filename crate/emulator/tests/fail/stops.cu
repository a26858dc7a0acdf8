// What the kernel itself says is wrong.

//# mistake trap: the kernel gives up on a value that it does not expect
//# launch --grid 2 --block 32 --arg i32[64]=iota --arg i32[64]=poison
//# finds trap
//# gives 1 copy
extern "C" __global__ void trap(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FIXED
    if (in[i] == 45) __trap(); // MISTAKE
#endif
    out[i] = in[i];
}
