//# block 64 1
// NVIDIA's compiler makes small unsigned numbers of floating-point ones by way of larger unsigned ones.
extern "C" __global__ void test(const float* in, const double* doubles, unsigned char* bytes, unsigned short* halves,
    signed char* small, short* words, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items) return;
    bytes[2 * i] = (unsigned char)(in[i] * 100.0f);
    bytes[2 * i + 1] = (unsigned char)(doubles[i] * 100.0);
    halves[2 * i] = in[i] * 1000.0f;
    halves[2 * i + 1] = doubles[i] * 1000.0;
    small[i] = (signed char)(in[i] * 20.0f);
    words[i] = (short)(doubles[i] * 1000.0);
}
