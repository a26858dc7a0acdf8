//# block 64 1
struct Knot { float at; int weights[3]; };

__constant__ unsigned table[4][8] = {{1, 2, 3}, {4, 5}, {6, 7, 8, 9}, {10}};
__constant__ Knot knots[2] = {{1.5f, {1, 2, 3}}, {2.5f, {4, 5, 6}}};
__constant__ int single = 7;

// What lies in constant memory is not `const`: of these the first takes it.
__device__ int chosen(int&) { return 1; }
__device__ int chosen(const int&) { return 2; }

template <typename T>
__device__ T sum(T* values, int count)
{
    T all = 0;
    for (int k = 0; k < count; ++k) all += values[k];
    return all;
}

extern "C" __global__ void test(unsigned* out, float* places, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items) return;
    unsigned* row = &table[threadIdx.x & 3][0];
    unsigned found = sum(row, 8);
    for (int bit = 0; bit < 4; ++bit, ++row) found ^= *row << bit;
    Knot* knot = knots + (i & 1);
    int& one = single;
    out[i] = found + sum(knot->weights, 3) + one + chosen(single);
    places[i] = knot->at;
}
