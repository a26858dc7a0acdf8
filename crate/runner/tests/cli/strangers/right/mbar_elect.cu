// launch: --grid 1 --block 64 --arg i32[256]=iota --arg i32[32]=zero
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void waitPhase(void* b, int phase) {
    unsigned ok;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(sh(b)), "r"(phase) : "memory");
    while (!ok);
}
__device__ void arrive(void* b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(sh(b)) : "memory"); }
__global__ void pipe(const int* in, int* out) {
    __shared__ int slot[32];
    __shared__ alignas(8) unsigned long long full, empty;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&full)));
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sh(&empty)));
    }
    __syncthreads();
    int l = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < 8; ++k) {
        if (threadIdx.x < 32) {
            if (k) waitPhase(&empty, (k - 1) & 1);
            slot[l] = in[k * 32 + l];
            __syncwarp();
            if (l == 0) arrive(&full);
        } else {
            waitPhase(&full, k & 1);
            sum += slot[31 - l];
            __syncwarp();
            if (l == 0) arrive(&empty);
        }
    }
    if (threadIdx.x >= 32) out[l] = sum;
}
