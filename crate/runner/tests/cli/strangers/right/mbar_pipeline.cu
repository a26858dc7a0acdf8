// launch: --grid 1 --block 64 --arg i32[256]=iota --arg i32[32]=zero
__device__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void waitPhase(void* b, int phase) {
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L; }" :: "r"(sh(b)), "r"(phase) : "memory");
}
__device__ void arrive(void* b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(sh(b)) : "memory"); }
__global__ void pipe(const int* in, int* out) {
    __shared__ int slot[2][32];
    __shared__ alignas(8) unsigned long long full[2], empty[2];
    if (threadIdx.x < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(sh(&full[threadIdx.x])));
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(sh(&empty[threadIdx.x])));
    }
    __syncthreads();
    int l = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 8; ++k) {
            int b = k & 1, round = k >> 1;
            waitPhase(&empty[b], (round & 1) ^ 1);
            slot[b][l] = in[k * 32 + l];
            arrive(&full[b]);
        }
    } else {
        for (int k = 0; k < 8; ++k) {
            int b = k & 1, round = k >> 1;
            waitPhase(&full[b], round & 1);
            sum += slot[b][31 - l];
            arrive(&empty[b]);
        }
        out[l] = sum;
    }
}
