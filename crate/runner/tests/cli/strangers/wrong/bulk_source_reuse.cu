// launch: --grid 1 --block 64 --arg f32[256]=random:1 --arg f32[256]=zero --arg i32=4
// finds: race
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void store(const float* in, float* out, int tiles) {
    __shared__ alignas(128) float s[64];
    for (int k = 0; k < tiles; ++k) {
        s[threadIdx.x] = in[k * 64 + threadIdx.x] * 2.f; //!
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + k * 64), "r"(sh(s)), "r"(256) : "memory"); //!
            asm volatile("cp.async.bulk.commit_group;");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
