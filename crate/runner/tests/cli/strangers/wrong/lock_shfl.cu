// launch: --grid 1 --block 32 --arg i32[1]=zero --arg i32[1]=zero
// finds: endless_loop,mask
__global__ void count(int* lock, int* n) {
    while (atomicCAS(lock, 0, 1) != 0) ; //!
    int v = __shfl_sync(0xffffffff, (int)threadIdx.x, 3); //!
    *n += v;
    atomicExch(lock, 0);
}
