// launch: --grid 4 --block 1 --arg i32[1]=zero --arg f32[2]=zero
// finds: race
struct Stats { float sum, max; };
__global__ void update(int* lock, Stats* s) {
    float v = (float)(blockIdx.x * 7 % 5);
    while (atomicCAS(lock, 0, 1) != 0) ;
    s->sum += v; //!
    if (v > s->max) s->max = v; //!
    atomicExch(lock, 0);
}
