extern "C" __global__ void k(float* x, const float* __restrict__ y, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float* p = y;
    unsigned* q = x;
    x = 3;
    x[1.5f] = 2;
    items.x = 3;
    i = 7;
    x[i] = y % 2;
    int f = x;
}

extern "C" __global__ void atomics(unsigned long* total, float2* sums, float2 sum, char* letters)
{
    atomicAdd(total, 1ul);
    atomicAdd(sums, sum);
    atomicAdd(letters, 'a');
}

struct Knot { float at; int weights[3]; };
__constant__ Knot knots[2];

extern "C" __global__ void constants(int which)
{
    knots[1].weights[which] = 3;
    knots[0].at += 1;
}
