// More static shared memory than a block may have. It has a file of its own because the module as a whole is refused.

//# mistake large_static_array: 128 × 128 floats are 64 KiB, and static shared memory ends at 48 KiB
//# launch --grid 1 --block 32 --arg f32[32]=iota --arg f32[32]=poison
//# finds limit
//# gives 1 reversed_floats 32
extern "C" __global__ void large_static_array(const float* in, float* out) {
#ifdef FIXED
    __shared__ float tile[64][128];
#else
    __shared__ float tile[128][128];
#endif
    tile[threadIdx.x][2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int other = 31 - threadIdx.x;
    out[threadIdx.x] = tile[other][2 * other];
}
