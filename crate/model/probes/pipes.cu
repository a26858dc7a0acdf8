// Kernels of one multiprocessor's parts: pipes of arithmetic, L1, L2 as one multiprocessor sees it, shared memory, barriers.
// Each is made for one parameter, none is a kernel of the book. Cycles of an instruction of a warp, as `clock` counts them.
// nvcc -arch=sm_90a -O3 -include common.h pipes.cu
#define OPS(X) \
    X(ffma, "fma.rn.f32 %0,%0,%0,%0;") \
    X(imad, "mad.lo.s32 %0,%0,%0,%0;") \
    X(lop, "lop3.b32 %0,%0,%1,%0,0x1e;") \
    X(shf, "shf.l.wrap.b32 %0,%0,%0,%0;") \
    X(popc, "popc.b32 %0,%0;") \
    X(i2f, "cvt.rn.f32.s32 %0,%0;") \
    X(ex2, "ex2.approx.ftz.f32 %0,%0;") \
    X(hfma2, "fma.rn.f16x2 %0,%0,%0,%0;") \
    X(shfl, "shfl.sync.idx.b32 %0,%0,%0,31,-1;") \
    X(redux, "redux.sync.add.u32 %0,%0,-1;") \
    X(dfma, "{.reg .f64 d; cvt.f64.f32 d,%0; fma.rn.f64 d,d,d,d; fma.rn.f64 d,d,d,d; fma.rn.f64 d,d,d,d; fma.rn.f64 d,d,d,d; cvt.rn.f32.f64 %0,d;}") \
    X(bar, "bar.sync 0;")
#define KERNEL(name, text) \
    template <int n> __global__ void k_##name(u32* data, u32* cycles) { \
        u32 x[n]; \
        for (u32& y : x) y = data[threadIdx.x + n]; \
        __syncthreads(); \
        u32 start = clock(); \
        for (int i = 0; i < 256 / n; ++i) \
            for (u32& y : x) asm volatile(text : "+r"(y) : "r"(start)); \
        __syncthreads(); \
        u32 end = clock(); \
        for (u32& y : x) data[threadIdx.x] += y; \
        if (!threadIdx.x) cycles[blockIdx.x] = end - start; \
    }
OPS(KERNEL)
// Four accesses at a time, `gap` bytes between lanes; `mask` + 1 bytes of its own for each block.
template <int kind, class T> __global__ void touch(u32* data, u32* cycles, u32 gap, u32 mask)
{
    extern __shared__ u32 sh[];
    char* own = kind > 2 ? (char*)sh : (char*)data + blockIdx.x * (mask + 1);
    u32 at = threadIdx.x * gap, next = blockDim.x * gap, end, start, s = 0;
    for (int warm = 0; warm < 2; ++warm) {
        __syncthreads();
        start = clock();
#pragma unroll 1
        for (int i = 0; i < 64; ++i) {
            T t[4] = {};
            for (T& x : t) {
                T* p = (T*)(own + (at & mask));
                at += next + (kind > 3) * 128;
                if (kind == 0) x = __ldca(p);
                if (kind == 1) x = __ldcg(p);
                if (kind == 2) __stcg(p, x);
                if (kind == 3) x = *p;
                if (kind == 4) *(volatile u32*)p = s;
                if (kind == 5) atomicAdd((u32*)p, s + i);
                if (kind == 6) *(u32*)&x = atomicAdd((u32*)p, s + i);
            }
            for (T& x : t) s += *(u32*)&x;
        }
        __syncthreads();
        end = clock();
    }
    if (s == 1) *data = s;
    if (!threadIdx.x) cycles[blockIdx.x] = end - start;
}
template <class F> void count(const char* probe, const char* what, int gap, int warps, double per, F f)
{
    std::vector<double> v;
    for (int i = 0; i < 11; ++i) {
        f();
        u32 c;
        cudaMemcpy(&c, other + 9, 4, cudaMemcpyDeviceToHost);
        v.push_back(c / per);
    }
    out(probe, what, gap, 132, warps * 32, v);
}
template <int kind, class T> void touches(const char* probe, u32 mask)
{
    for (u32 gap : {0, 4, 8, 16, 32, 64, 128, 132, 256, 512})
        for (int w : {1, 8, 32})
            if (gap % sizeof(T) == 0 && (kind < 3 || sizeof(T) == 4))
                count(probe, sizeof(T) > 8 ? "16" : sizeof(T) > 4 ? "8" : "4", gap, w, w * 256, [&] { touch<kind, T><<<132, w * 32, 32768>>>(data, other, gap, mask); });
}
int main()
{
    cudaMalloc(&data, 1 << 30);
    cudaMalloc(&other, 1 << 20);
    cudaMemset(data, 0, 1 << 30);
#define RUN(name, text) \
    for (int w : {1, 4, 8, 16, 32}) { \
        count("chain", #name, 1, w, w * 256, [&] { k_##name<1><<<132, w * 32>>>(data, other); }); \
        count("chains", #name, 4, w, w * 256, [&] { k_##name<4><<<132, w * 32>>>(data, other); }); \
    }
    OPS(RUN)
    touches<0, u32>("l1_load", 16383);
    touches<0, uint2>("l1_load", 16383);
    touches<0, uint4>("l1_load", 16383);
    touches<1, u32>("l2_load", 131071);
    touches<1, uint4>("l2_load", 131071);
    touches<2, u32>("l2_store", 131071);
    touches<2, uint4>("l2_store", 131071);
    touches<3, u32>("shared_load", 32767);
    touches<4, u32>("shared_store", 32767);
    touches<5, u32>("shared_red", 32767);
    touches<6, u32>("shared_atom", 32767);
}
