// launch: --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero --arg i32=3
__global__ void everywhere(const int* in, int* out, int mode) {
    int v = in[threadIdx.x], r, q;
    switch (v & 3) {
        case 0: r = 1; break;
        case 1: r = 2;
        case 2: r = v; break;
        default: r = -v;
    }
    do { q = r; r = r / 2; } while (r > 4);
    int a[4];
    for (int i = 0; i < 4; ++i) { if (i == mode) a[i] = q; else a[i] = r; }
    out[threadIdx.x] = a[v & 3] + q;
}
