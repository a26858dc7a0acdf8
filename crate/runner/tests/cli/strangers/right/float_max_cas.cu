// launch: --grid 4 --block 32 --arg f32[128]=random:3 --arg f32[1]=zero
__device__ void atomicMaxFloat(float* p, float v) {
    int* a = reinterpret_cast<int*>(p);
    int old = *(volatile int*)a;
    while (__int_as_float(old) < v) {
        int seen = atomicCAS(a, old, __float_as_int(v));
        if (seen == old) break;
        old = seen;
    }
}
__global__ void maximum(const float* in, float* out) { atomicMaxFloat(out, in[blockIdx.x * 32 + threadIdx.x]); }
