__device__ void letters(float* x, int n)
{
    char none = '';
    if (n ≤ 4)
        x[3] = 1f;
}

extern "c" __global__ void language(float* x) {}

struct Pair { float a, b; }
__global__ void behind_struct(Pair* p)
{
    p->a = 1;
    if (p->b > 0) {
        p->b = 2;
}

__global__ void behind_brace(Pair* p)
{
    p->a = 3;
}
