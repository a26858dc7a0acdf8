//# block 32
// Loads that stand before `asm` stay before the branch too; those behind it move.
extern "C" __global__ void test(const float* __restrict__ in, const int* __restrict__ numbers, float* __restrict__ out, int items)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    float before = in[i], after;
    int next;
    asm("add.s32 %0, %1, 1;" : "=r"(next) : "r"(numbers[i]));
    after = in[i + 99];
    if (i < items)
        out[i] = before * next + after;
}
