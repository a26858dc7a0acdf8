// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero
// finds: race,invalid_address,uninitialized,out_of_bounds
__global__ void escape(const int* in, int* out) {
    __shared__ int* p[32];
    int mine[2] = {in[threadIdx.x], in[threadIdx.x ^ 1] * 2};
    p[threadIdx.x] = mine;
    __syncwarp();
    out[threadIdx.x] = p[31 - threadIdx.x][in[threadIdx.x] & 1]; //!
}
