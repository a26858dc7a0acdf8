extern "C" __global__ void k(float* x, unsigned n)
{
    asm("mov.u32 %0, %1;" : "=r"(x[0]) : "r"(n));
    asm("mov.u32 %0, %2;" : "=r"(n) : "r"(n));
    asm("mov.u32 %0, %laneid;" : "=r"(n));
    asm("mov.u32 %0, 1;" : "=r"(n + 1));
}
