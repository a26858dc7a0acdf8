// A product of three numbers would keep three over the branch, where it spares itself and an address only: it stays.
//# block 32 1
extern "C" __global__ void test(const float* in, const float* other, const float* more, float* out, int items)
{
    const int i = threadIdx.x;
    const float product = in[i] * other[i] * more[i];
    float sum = 1;
    if (i < items) {
        __syncwarp();
        sum = in[i + 32];
    }
    out[i] = product + sum;
}
