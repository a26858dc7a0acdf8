// launch: --grid 1 --block 32 --arg f32[64]=iota --arg f32[32]=zero
// finds: race,uninitialized
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void stage(const float* in, float* out) {
    __shared__ float a[32], b[32];
    int t = threadIdx.x;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(sh(&a[t])), "l"(in + t) : "memory");
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(sh(&b[t])), "l"(in + 32 + t) : "memory"); //!
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[t] = a[31 - t] * b[t]; //!
}
