// launch: --grid 2 --block 32 --arg i32[1]=zero --arg i32[1]=zero
// Volta and later: lanes make progress one by one
__global__ void count(int* lock, int* n) {
    while (atomicCAS(lock, 0, 1) != 0) ;
    __threadfence();
    *n = *n + 1;
    __threadfence();
    atomicExch(lock, 0);
}
