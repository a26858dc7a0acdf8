// launch: --grid 1 --block 48 --arg i32[48]=iota --arg i32[48]=zero
// finds: division
struct Grid { int w, h; __device__ int cell(int i) const { return i / (w / 64); } }; //!
__global__ void cells(const int* in, int* out) {
    Grid g{(int)blockDim.x, 1};
    out[threadIdx.x] = g.cell(in[threadIdx.x]); //!
}
