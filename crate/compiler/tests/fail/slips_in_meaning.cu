__global__ void slips_in_meaning(float* x, const float* y, int n)
{
    int i = threadIdx.x();
    if (0 < i < n)
        x[i] = y[i] ** 2;
    if (i < n); {
        x(i) = y[i];
    }
    i + 1;
    x[i] += y;
    float* p = n;
    int length = x.size();
    int first = threadIdx[0];
    bool yes = True;
    print(i);
    x[i] = Sin(y[i]);
    x[i] = sqrtf(y[i], 2);
    atomicMax(&x[i], 1.0f);
    auto block = cooperative_groups::this_thread_block();
    switch (i) {
        case 1: break;
        case 2: break;
        case 1: break;
    }
}
