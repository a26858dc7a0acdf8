// launch: --grid 2 --block 32 --arg i32[64]=iota --arg i32[64]=zero
__device__ int find(int* p, int x) { int q; while ((q = atomicAdd(&p[x], 0)) != x) x = q; return x; }
__global__ void unite(int* p, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x, a = i, b = (i * 5 + 3) % 64;
    while (true) {
        a = find(p, a); b = find(p, b);
        if (a == b) break;
        if (a < b) { int t = a; a = b; b = t; }
        if (atomicCAS(&p[a], a, b) == a) break;
    }
    out[i] = 1;
}
