extern "C" __global__ void k(float* x, unsigned n)
{
    int i = threadIdx.x;
    float i = x[0];
    unsigned n = 4;
    for (int j = 0; j < 4; j++) {
        int j = 3;
        float y = j, y = 2;
        x[j] = y;
    }
}
