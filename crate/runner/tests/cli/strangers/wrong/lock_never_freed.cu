// launch: --grid 3 --block 1 --arg i32[1]=zero --arg i32[1]=zero
// finds: endless_loop
class Lock {
    int* m;
public:
    __device__ Lock(int* p) : m(p) { while (atomicCAS(m, 0, 1) != 0) ; __threadfence(); } //!
    __device__ void release() { __threadfence(); atomicExch(m, 0); }
};
__global__ void work(int* lock, int* n) {
    Lock l(lock); //!
    *n += 1;
    if (*n < 0) l.release();
}
