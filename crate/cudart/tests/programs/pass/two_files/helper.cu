#include "helper.h"

static __device__ int factor = 3;

// Of the same name as the kernel of the other file.
static __global__ void apply(int *values) { values[threadIdx.x] *= factor; }

void triple(int *values) { apply<<<1, 4>>>(values); }
