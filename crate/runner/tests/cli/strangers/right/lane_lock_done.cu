// launch: --grid 2 --block 32 --arg i32[4]=zero --arg i32[4]=zero
__global__ void bucket(int* locks, int* sums) {
    int b = threadIdx.x % 4;
    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[b], 0, 1) == 0) {
            __threadfence();
            sums[b] += threadIdx.x;
            __threadfence();
            atomicExch(&locks[b], 0);
            done = true;
        }
    }
}
