// launch: --grid 1 --block 64 --arg i32[1]=zero --arg i32[1]=zero
// finds: endless_loop,barrier_divergence
__global__ void count(int* lock, int* n) {
    while (atomicCAS(lock, 0, 1) != 0) ; //!
    __threadfence();
    *n += 1;
    __syncthreads(); //!
    __threadfence();
    atomicExch(lock, 0);
}
