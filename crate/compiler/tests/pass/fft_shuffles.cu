//# block 32
struct cplx { float x, y; };
#define CMUL(a, b) cplx{ (a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x }
extern "C" __global__ void test(const float* re, const float* im, float* ore, float* oim, int items)
{
    const unsigned lane = threadIdx.x;
    int base = blockIdx.x * 32;
    unsigned rev = __brev(lane) >> 27;
    cplx v = { re[base + rev], im[base + rev] };
#pragma unroll
    for (int half = 1; half < 32; half *= 2) {
        int k = lane & (half - 1);
        float angle = -3.14159265f * k / half;
        cplx w = { cosf(angle), sinf(angle) };
        bool upper = lane & half;
        cplx tw = upper ? CMUL(v, w) : v;
        cplx o = { __shfl_xor_sync(~0u, tw.x, half), __shfl_xor_sync(~0u, tw.y, half) };
        v = upper ? cplx{ o.x - tw.x, o.y - tw.y } : cplx{ tw.x + o.x, tw.y + o.y };
    }
    ore[base + lane] = v.x; oim[base + lane] = v.y;
}
