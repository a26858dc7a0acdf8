// A second `if` asks what the first has answered, and between them only a value is chosen: it is asked once.
//# block 32 1
extern "C" __global__ void test(const float* in, const float* other, const float* more, float* out, int items, int steps)
{
    const int i = threadIdx.x;
    const float product = in[i] * other[i + 1];
    float sum = in[2 * i];
    if (i < items) {
        sum = more[2 * i];
        __syncwarp();
    }
    if (i < items) {
        __threadfence();
        sum *= 2.5f;
        out[i] = product + sum;
    } else
        sum -= 0.75f;
    out[i + 32] = sum;
    float chosen = 1;
    if (steps > 4)
        chosen = other[i];
    if (steps <= 4)
        out[i + 64] = chosen;
    out[i + 96] = chosen;
}
