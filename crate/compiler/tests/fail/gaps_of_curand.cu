#include <curand_kernel.h>

extern "C" __global__ void k(curandStateSobol32_t* state, float* out) { out[0] = curand_uniform(state); }
