// launch: --grid 1 --block 16 --arg i32[68]=iota --arg i32[64]=zero
// finds: misaligned
struct __align__(16) Quad { int a, b, c, d; };
__global__ void quads(const int* in, Quad* out) {
    int header = 2;
    const Quad* q = (const Quad*)(in + header);
    Quad v = q[threadIdx.x]; //!
    v.a += v.d;
    out[threadIdx.x] = v; //!
}
