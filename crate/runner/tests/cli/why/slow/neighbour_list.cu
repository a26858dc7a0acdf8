// launch: --grid 8 --block 128 --arg u32[8192]=random:4 --arg f32[4096]=random:5 --arg f32[1024]=zero
// first: scattered 8
__global__ void sumNeighbours(const unsigned* list, const float* charge, float* field) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = 0;
    for (int k = 0; k < 8; ++k) {
        unsigned j = list[k * 1024 + i] & 4095;
        f += charge[j];
    }
    field[i] = f;
}
