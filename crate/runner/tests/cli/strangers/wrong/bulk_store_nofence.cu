// launch: --grid 1 --block 32 --arg f32[64]=iota --arg f32[64]=zero
// finds: race
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void store(const float* in, float* out) {
    __shared__ alignas(128) float s[64];
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = in[i] * 2.f; //!
    // no fence.proxy.async here
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" //!
            :: "l"(out), "r"(sh(s)), "r"(256) : "memory"); //!
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
