// status: 134
// remarks: the program ends by abort() (SIGABRT)
#include <cassert>

__global__ void past(int *values) {
    values[1000] = 1; // finds: out_of_bounds
}

int main() {
    int *values;
    cudaMalloc(&values, 4);
    past<<<1, 1>>>(values);
    assert(cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}
