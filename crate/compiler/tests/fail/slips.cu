#define COUNT 32;
#define SIZE = 64

_global_ void misspelt(float* x) {}

__global__ void behind_name(float x*, float[] y) {}

__global__ void semicolon(float* x; int n) {}

__global__ void untyped(x, int n) {}

__global__ void reserved(float* new) {}

__global__ void my-kernel(float* x) {}

__global__ void slips(float* x, const float* y, int n)
{
    int[4] brackets;
    __shard__ float part[32];
    shared int flag;
    let first = 1;
    uint32 wide = 3;
    string text = "text";
    if x[0] < 1
        x[0] = 1;
    for (int i = 0, i < n, i++)
        x[i] = 0;
    if (n =< 3)
        return;
    x[0] = (y[0] + y[1]));
    x[1] = 2 y[1];
    x[2] = fmaxf(y[0] y[1]);
    printf("no end);
    printf(`typeset`);
}
