// Shared memory, vectors, pointers, arrays indexed at run time, atomics, shuffles, volatile, macros.
#define TWICE(x) ((x) + (x))
#define JOIN(a, b) a##b
#define LIST(...) {__VA_ARGS__}
#if defined(TWICE) && (1 << 3) == 8
#define YES 1
#else
#define YES 0
#endif

__device__ unsigned total;
__device__ void add(unsigned* to, unsigned by) { atomicAdd(to, by); }
extern __shared__ unsigned dynamic[];

extern "C" __global__ void test(const unsigned* __restrict__ in, unsigned* out)
{
    __shared__ unsigned tile[4][33];
    __shared__ float4 fours[8];
    __shared__ unsigned long long wide;
    __shared__ int least;
    const unsigned t = threadIdx.x;
    unsigned* to = out + t * 64;
    unsigned k = 0;
    if (t == 0) {
        wide = 0;
        least = 1000000;
    }
    for (unsigned i = 0; i < 4; i++)
        tile[i][t] = in[i * 32 + t];
    __syncthreads();
    to[k++] = tile[t % 4][31 - t];
    if (t < 8)
        fours[t] = make_float4(t, in[t], 0.5f, -1.0f);
    __syncthreads();
    const float4 four = fours[t / 4];
    to[k++] = __float_as_uint(four.x + four.y * four.z - four.w);
    atomicAdd(&wide, (unsigned long long)in[t]);
    atomicMin(&least, (int)in[t]);
    add(&tile[0][0], 1);
    __syncthreads();
    to[k++] = (unsigned)wide + least + tile[0][0];
    to[k++] = __shfl_down_sync(~0u, in[t], 3) + __shfl_xor_sync(0xffffffff, t, 5);
    to[k++] = __shfl_sync(~0u, (long long)t * 5000000000ll, 7) >> 16;
    to[k++] = __ballot_sync(~0u, in[t] & 1) + __any_sync(~0u, t == 3) + __all_sync(~0u, t < 32);
    unsigned local[8];
    for (unsigned i = 0; i < 8; i++)
        local[i] = in[t + i] * i;
    to[k++] = local[in[t] % 8] + local[3];
    const unsigned* from = in + t;
    const unsigned* end = from + 4;
    unsigned sum = 0;
    while (from != end)
        sum += *from++;
    to[k++] = sum + (end - from) + (from > in);
    uint2 two = {in[t], t};
    two.x += two.y;
    to[k++] = two.x;
    uchar4 bytes = *reinterpret_cast<const uchar4*>(in + t);
    to[k++] = bytes.x + bytes.y * 256 + bytes.w;
    to[k++] = TWICE(t + 1) * YES + JOIN(su, m);
    unsigned given[] = LIST(1, 2, 3, t);
    to[k++] = given[3] + given[1] + sizeof(given);
    volatile unsigned* seen = &tile[1][t];
    *seen = 5;
    to[k++] = *seen + tile[1][t];
    dynamic[t] = t * 3;
    __syncwarp();
    to[k++] = dynamic[(t + 1) % 32];
    unsigned (*rows)[33] = &tile[2];
    to[k++] = rows[1][t];
    const unsigned was = atomicCAS(&total, 0u, 0u);
    to[k++] = was + atomicExch(&out[2047 - t], t);
    unsigned doubled;
    asm("add.u32 %0, %1, %1;" : "=r"(doubled) : "r"(in[t]));
    asm volatile("{ .reg .u32 one; mov.u32 one, 1; add.u32 %0, %0, one; }" : "+r"(doubled));
    to[k++] = doubled;
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    to[k++] = lane;
    float3 three = make_float3(1, 2, t);
    three.z *= 2;
    to[k++] = __float_as_uint(three.z) + blockDim.x + gridDim.x + warpSize;
    double2 pair = make_double2(t, 0.5);
    to[k++] = (unsigned)(pair.x * pair.y * 8);
}
