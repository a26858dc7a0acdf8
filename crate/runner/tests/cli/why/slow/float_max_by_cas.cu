// launch: --grid 8 --block 128 --arg f32[1024]=random:5 --arg f32[1]=zero
// first: atomic 8
__device__ void atomicMaxFloat(float* addr, float v) {
    int* a = (int*)addr;
    int old = *a;
    while (__int_as_float(old) < v) {
        int assumed = old;
        old = atomicCAS(a, assumed, __float_as_int(v));
    }
}
__global__ void maxOf(const float* x, float* m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMaxFloat(m, x[i]);
}
