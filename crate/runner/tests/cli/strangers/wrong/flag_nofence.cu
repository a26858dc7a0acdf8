// launch: --grid 2 --block 32 --arg i32[32]=zero --arg i32[1]=zero --arg i32[32]=zero
// finds: race
__global__ void handover(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3; //!
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) while (*flag == 0) ;
        __syncthreads();
        out[threadIdx.x] = data[31 - threadIdx.x]; //!
    }
}
