// launch: --grid 16 --block 256 --arg f32[4128]=iota --arg f32[4128]=zero --arg i32=1
// first: offset 5
__global__ void offsetCopy(float* odata, float* idata, int offset) {
    int xid = blockIdx.x * blockDim.x + threadIdx.x + offset;
    odata[xid] = idata[xid];
}
