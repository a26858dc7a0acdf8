// launch: --grid 1 --block 32 --arg f32[32]=random:1 --arg i32[1]=zero
__global__ void any(const float* in, int* flag) {
    if (in[threadIdx.x] > 0.5f) *flag = 1;
}
