// What a loop carries and multiplies: of two products the sum takes in the one that it took in while the loop was one.
extern "C" __global__ void test(const float* in, float* out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 8 >= items)
        return;
    const float v = in[i];
    float smooth = 0, turned = 0, across = 0;
    for (unsigned k = 0; k < items; k++)
        smooth = smooth * 0.5f + in[k] * v;
    for (unsigned k = 0; k < items; k++)
        turned = in[k] * in[i + 1] + turned * v;
    for (unsigned k = i; k < items; k++)
        across = (0.5f - in[k]) * v + across * fmaxf(in[i], 0.25f);
    out[i] = smooth + turned + across;
}
