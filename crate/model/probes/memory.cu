// Kernels of what multiprocessors share: launches, L2, DRAM, atomics. Each is made for one parameter, none is a kernel of
// the book. Microseconds between two events around a launch, L2 full of other data, as the book times.
// nvcc -arch=sm_90a -O3 -include common.h memory.cu
__global__ void nothing(u32*) {}
// 4 accesses of 16 bytes a thread; elements are `gap` bytes apart.
template <bool reads, bool writes> __global__ void stream(char* from, char* to, u64 gap, u64 count)
{
    u64 at = blockIdx.x * 1024ull + threadIdx.x;
    uint4 x[4] = {};
    for (int k = 0; k < 4; ++k)
        if (reads && at + k * 256 < count) x[k] = *(uint4*)(from + (at + k * 256) * gap);
    for (int k = 0; k < 4; ++k)
        if ((writes || x[k].x == 1) && at + k * 256 < count) *(uint4*)(to + (at + k * 256) * gap) = x[k];
}
__device__ u64 mix(u32 x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}
// 4 accesses of 4 bytes a thread. Ways of places: down the columns of a matrix with 4096 rows of `n` bytes, at random among
// `n` sectors, at random or in turn among `n` words, at random among `n` words and one for a warp.
template <int way, int kind> __global__ void words(u32* data, u64 n, u32* to)
{
    u32 t = blockIdx.x * 1024 + threadIdx.x, x[4];
    for (int k = 0; k < 4; ++k) {
        u32 i = t + k * 256;
        u32* p = data + (way == 0 ? i % 4096 * n / 4 + i / 4096 : way == 1 ? mix(i) % n * 8 : way == 2 ? mix(i) % n : way == 3 ? i % n : mix(i / 32) % n);
        x[k] = 2;
        if (kind == 0) x[k] = *p;
        if (kind == 1) *p = i;
        if (kind == 2) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(i));
        if (kind == 3) x[k] = atomicAdd(p, i);
    }
    if ((x[0] ^ x[1] ^ x[2] ^ x[3]) == 1) *to = 1;
}
template <class F> void time(const char* probe, u64 n, int blocks, int threads, F f)
{
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int cold = 0; cold < 2; ++cold) {
        std::vector<double> v;
        for (int i = 0; i < 11; ++i) {
            cudaMemsetAsync(cold ? flush : other, 0, cold ? 240 << 20 : 4096);
            if (!cold) f();
            cudaEventRecord(a);
            f();
            cudaEventRecord(b);
            cudaEventSynchronize(b);
            float ms;
            cudaEventElapsedTime(&ms, a, b);
            v.push_back(ms * 1e3);
        }
        out(cold ? "cold" : "warm", probe, n, blocks, threads, v);
    }
}
#define STREAM(name, r, w, n, gap, count) time(name, n, (count + 1023) / 1024, 256, [&] { stream<r, w><<<(count + 1023) / 1024, 256>>>((char*)data, (char*)other, gap, count); });
#define WORDS(name, way, kind, n, blocks) time(name, n, blocks, 256, [&] { words<way, kind><<<blocks, 256>>>(data, n, other); });
int main()
{
    cudaMalloc(&data, 1 << 30);
    cudaMalloc(&other, 1 << 30);
    cudaMalloc(&flush, 240 << 20);
    cudaMemset(data, 0, 1 << 30);
    for (int t : {32, 64, 128, 256, 512, 1024})
        for (int b : {1, 132, 1056, 8448, 65536, 524288})
            time("empty", 0, b, t, [&] { nothing<<<b, t>>>(data); });
    for (u64 n = 1; n <= 1024; n *= 2) {
        u64 c = n << 16;
        STREAM("read", 1, 0, n, 16, c)
        STREAM("write", 0, 1, n, 16, c)
        STREAM("copy", 1, 1, n, 16, c)
    }
    for (u64 gap : {32, 64, 128, 256, 1024, 4096}) {
        u64 c = 1 << 18;
        STREAM("read gap", 1, 0, gap, gap, c)
        STREAM("write gap", 0, 1, gap, gap, c)
    }
    for (u64 n : {16384, 16512, 16896, 20480}) {
        WORDS("columns read", 0, 0, n, 16384)
        WORDS("columns write", 0, 1, n, 16384)
    }
    for (u64 n = 1 << 18; n <= 1 << 25; n *= 4) {
        WORDS("gather", 1, 0, n, 16384)
        WORDS("scatter", 1, 1, n, 16384)
    }
    for (u64 n = 1; n <= 1 << 20; n *= 4) {
        WORDS("red random", 2, 2, n, 4096)
        WORDS("red turn", 3, 2, n, 4096)
        WORDS("red warp", 4, 2, n, 4096)
        WORDS("atom random", 2, 3, n, 4096)
        WORDS("atom turn", 3, 3, n, 4096)
    }
}
