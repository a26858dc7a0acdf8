// launch: --grid 1 --block 8,5 --arg i32[85]=iota --arg i32[40]=zero --arg i32=17
// finds: misaligned
__global__ void rows(const int* m, int* out, int pitch) {
    const int* row = m + threadIdx.y * pitch;
    int2 v = ((const int2*)row)[threadIdx.x]; //!
    out[threadIdx.y * 8 + threadIdx.x] = v.x + v.y;
}
