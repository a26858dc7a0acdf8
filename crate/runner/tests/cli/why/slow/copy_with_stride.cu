// launch: --grid 16 --block 256 --arg f32[20480]=iota --arg f32[20480]=zero --arg i32=5
// first: stride 5
__global__ void strideCopy(float* odata, float* idata, int stride) {
    int xid = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    odata[xid] = idata[xid];
}
