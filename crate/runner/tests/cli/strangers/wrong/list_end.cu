// launch: --grid 1 --block 32 --arg i32[32]=poison --arg f32[32]=random:3 --arg f32[32]=zero
// finds: out_of_bounds
// next[i] is -1 at the end of a list
__global__ void walk(const int* next, const float* val, float* out) {
    int i = threadIdx.x;
    float s = 0.f;
    for (int k = 0; k < 4; ++k) {
        s += val[i]; //!
        i = next[i];
        if (i == 0) break;
    }
    out[threadIdx.x] = s;
}
