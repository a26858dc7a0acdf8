// Stores and loads with which two ways end, which of them become one, and which do not.
//# block 64 1
extern "C" __global__ void test(float* out, const float* in, float* other, int items, int steps)
{
    __shared__ float tile[64];
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    const int lane = threadIdx.x;
    float* mine = out + i;
    // The place is there before the ways part: one store, whatever is stored.
    if (in[i] > 0)
        *mine = in[i + 1];
    else
        *mine = 3;
    // Both compute the place, and one stores a constant: two stores.
    if (lane < items % 64)
        tile[lane] = in[2 * i];
    else
        tile[lane] = 0;
    __syncthreads();
    // Both begin with the same load, and end with a store of a value.
    float* second = out + 3 * items;
    if (lane & 1)
        second[i] = in[i] * in[i];
    else
        second[i] = in[i] + 1;
    // In a loop the place is the same every time.
    for (int k = 0; k < steps; ++k) {
        if (lane > 5 * k && i < items)
            tile[lane] = in[i + k];
        else
            tile[lane] = 0;
        __syncthreads();
        other[i + k * items] = tile[lane ^ 3];
        __syncthreads();
    }
    // The place goes with the way: one load of the one that was taken.
    other[i + 4 * items] = lane < 9 ? in[i] : in[i + 1];
    // More ways, that of the threads that do nothing among them: nothing is joined.
    if (i < items) {
        if (in[i] > 1)
            out[i + 4 * items] = in[i];
        else
            out[i + 4 * items] = 0.1f * in[i];
    }
}
