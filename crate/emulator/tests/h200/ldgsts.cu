// One warp, one cp.async each: for the profiler.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
template <int BYTES, bool CG> __global__ void copies(const char* in, char* out, const int* from, const int* to, unsigned mask) {
    extern __shared__ __align__(1024) char tile[];
    int lane = threadIdx.x;
    uint32_t d = (uint32_t)__cvta_generic_to_shared(tile) + to[lane];
    const char* s = in + from[lane];
    if (mask >> lane & 1) {
        if (CG) asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(d), "l"(s), "n"(BYTES) : "memory");
        else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(d), "l"(s), "n"(BYTES) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[lane] = tile[lane * 8];
}
int main() {
    char *in, *out; int *from, *to;
    cudaMalloc(&in, 1 << 20); cudaMalloc(&out, 4096); cudaMallocManaged(&from, 128); cudaMallocManaged(&to, 128);
    struct Pattern { const char* name; int source, target; unsigned mask; } patterns[] = {
        {"stride1", 1, 1, ~0u}, {"source2", 2, 1, ~0u}, {"source8", 8, 1, ~0u}, {"target2", 1, 2, ~0u}, {"target4", 1, 4, ~0u},
        {"target32", 1, 32, ~0u}, {"target33", 1, 33, ~0u}, {"half", 1, 1, 0xffffu}, {"odd", 1, 1, 0xaaaaaaaau}, {"one", 1, 1, 16u}, {"same", 0, 1, ~0u}, {"reverse", -1, 1, ~0u}};
    for (auto p : patterns) for (int form = 0; form < 4; ++form) {
        int bytes = form == 0 ? 4 : form == 1 ? 8 : 16;
        for (int l = 0; l < 32; ++l) { from[l] = bytes * (p.source < 0 ? 31 - l : p.source * l); to[l] = bytes * p.target * l; }
        cudaDeviceSynchronize();
        printf("%s %d %s\n", p.name, bytes, form == 3 ? "cg" : "ca");
        if (form == 0) copies<4, false><<<1, 32, 20480>>>(in, out, from, to, p.mask);
        if (form == 1) copies<8, false><<<1, 32, 20480>>>(in, out, from, to, p.mask);
        if (form == 2) copies<16, false><<<1, 32, 20480>>>(in, out, from, to, p.mask);
        if (form == 3) copies<16, true><<<1, 32, 20480>>>(in, out, from, to, p.mask);
        cudaDeviceSynchronize();
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
