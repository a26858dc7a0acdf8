//# block 32 3
// Which of two products a sum takes in, of variables that branches give other values: that of the variable declared first.
extern "C" __global__ void test(const float* __restrict__ in, float* out)
{
    int i = threadIdx.y * 32 + threadIdx.x;
    float s = in[i + 64], t = in[i + 97];
    float first = in[i], second = in[i + 33];
    if (s > 0.25f) {
        first = -t;
        second = s;
        out[i + 96] = 1.0f;
    } else if (t > 0.5f) {
        first = s * 3.0f;
        second = 1.0f - t;
        out[i + 96] = 2.0f;
    }
    out[i] = s * first + t * second;
}
