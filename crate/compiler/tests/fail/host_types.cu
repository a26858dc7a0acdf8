// What the host has outside of functions is not passed over.
std::vector<float> data;
FILE* file;
texture<float, 2> pictures;

extern "C" __global__ void k(float* x) { x[0] = 1; }
