// launch: --grid 4 --block 1 --arg i32[1]=zero --arg i32[5]=zero --arg i32[5]=zero --arg i32[1]=zero
// queue lock; nodes are numbered from 1
__global__ void mcs(int* tail, int* next, int* wait, int* n) {
    int me = blockIdx.x + 1;
    atomicExch(&next[me], 0);
    atomicExch(&wait[me], 1);
    __threadfence();
    int pred = atomicExch(tail, me);
    if (pred) {
        atomicExch(&next[pred], me);
        while (atomicAdd(&wait[me], 0)) ;
    }
    __threadfence();
    *n += me;
    __threadfence();
    int succ = atomicAdd(&next[me], 0);
    if (!succ) {
        if (atomicCAS(tail, me, 0) == me) return;
        while (!(succ = atomicAdd(&next[me], 0))) ;
    }
    atomicExch(&wait[succ], 0);
}
