// launch: --grid 1 --block 32 --arg u32[32]=zero
__global__ void search(unsigned* out) {
    unsigned x = threadIdx.x, k = 0;
    while ((x & 1023) != 777) { x = x * 1664525u + 1013904223u; ++k; }
    unsigned n = threadIdx.x + 1, c = 0;
    while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; ++c; }
    float r = threadIdx.x + 1.f, a = r;
    while (fabsf(r * r - a) > 1e-5f * a) r = 0.5f * (r + a / r);
    for (float t = 0.f; t < 1.f; t += 0.125f) r += t;
    out[threadIdx.x] = k + c + (unsigned)r;
}
