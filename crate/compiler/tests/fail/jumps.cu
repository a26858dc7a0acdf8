// Labels and cases that are nowhere, twice, or outside.
extern "C" __global__ void k(int* x)
{
    if (x[0] > 3)
        goto finish;
    x[1] = 1;
finsh:
    x[2] = 2;
}

extern "C" __global__ void twice(int* x)
{
again:
    x[0]++;
again:
    if (x[0] < 4)
        goto again;
}

extern "C" __global__ void outside(int* x)
{
    case 3:
    x[0] = 1;
}
