// Slips with types that a compiler often tells in riddles.
struct Later;
__device__ int sign(int v)
{
    if (v > 0)
        return 1;
    else if (v < 0)
        return -1;
}
extern "C" __global__ void k(int* x, size_t n, __shared__ int* s)
{
    short small = x[0];
    int r = max(n, x[1]);
    float f = min(x[2], 1.0f);
    asm("mov.b32 %0, %1;" : "=r"(r) : "r"(small));
    const char* text = "a";
    if (text == 'a')
        x[3] = sign(r);
    struct Later* later = nullptr;
    Later object;
    x[4] = later->count;
    int list[2] = {[1] = 5};
}
