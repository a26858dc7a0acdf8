// The product of `past_ways_kept`, and one more address that is needed behind the branch only: now it moves.
//# block 32 1
extern "C" __global__ void test(const float* in, const float* other, const float* more, float* out, float* last, int items)
{
    const int i = threadIdx.x;
    const float product = in[i] * other[i] * more[i];
    float sum = 1;
    if (i < items) {
        __syncwarp();
        sum = in[i + 32];
    }
    out[i] = product + sum;
    last[i] = sum;
}
