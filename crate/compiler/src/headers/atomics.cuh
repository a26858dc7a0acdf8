// Atomic functions of vectors, which the hardware has from compute_90 on. `//@ name: what it needs` begins a section.
//@ atomicAdd from 90
__device__ inline float2 atomicAdd(float2* p, float2 v)
{
    float2 old;
    asm volatile("atom@space.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(old.x), "=f"(old.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory");
    return old;
}
__device__ inline float4 atomicAdd(float4* p, float4 v)
{
    float4 old;
    asm volatile("atom@space.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w) : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
    return old;
}
//@ name: what it needs` begins a section.
//@ atomicAdd_block from 90
__device__ inline float2 atomicAdd_block(float2* p, float2 v)
{
    float2 old;
    asm volatile("atom@space.cta.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(old.x), "=f"(old.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory");
    return old;
}
__device__ inline float4 atomicAdd_block(float4* p, float4 v)
{
    float4 old;
    asm volatile("atom@space.cta.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w) : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
    return old;
}
//@ name: what it needs` begins a section.
//@ atomicAdd_system from 90
__device__ inline float2 atomicAdd_system(float2* p, float2 v)
{
    float2 old;
    asm volatile("atom@space.sys.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(old.x), "=f"(old.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory");
    return old;
}
__device__ inline float4 atomicAdd_system(float4* p, float4 v)
{
    float4 old;
    asm volatile("atom@space.sys.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w) : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
    return old;
}
//@ __nv_atomic_load_n
// The numbers are those of `__NV_ATOMIC_RELAXED` to `__NV_ATOMIC_SEQ_CST`, and of `__NV_THREAD_SCOPE_THREAD` to
// `__NV_THREAD_SCOPE_SYSTEM`; which one it is, is known while compiling.
template <typename T> __device__ inline T __nv_atomic_load_n(T* p, int order, int scope = 4)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "`__nv_atomic_load_n` reads 4 or 8 bytes here");
    T found;
    if (order == 5) {
        if (scope <= 1) asm volatile("fence.sc.cta;" : : : "memory");
        else if (scope <= 3) asm volatile("fence.sc.gpu;" : : : "memory");
        else asm volatile("fence.sc.sys;" : : : "memory");
    }
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        if (order == 0) {
            if (scope <= 1) asm volatile("ld.relaxed.cta.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
            else if (scope <= 3) asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
            else asm volatile("ld.relaxed.sys.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
        } else {
            if (scope <= 1) asm volatile("ld.acquire.cta.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
            else if (scope <= 3) asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
            else asm volatile("ld.acquire.sys.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
        }
        found = *(T*)&bits;
    } else {
        unsigned long long bits;
        if (order == 0) {
            if (scope <= 1) asm volatile("ld.relaxed.cta.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
            else if (scope <= 3) asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
            else asm volatile("ld.relaxed.sys.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
        } else {
            if (scope <= 1) asm volatile("ld.acquire.cta.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
            else if (scope <= 3) asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
            else asm volatile("ld.acquire.sys.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
        }
        found = *(T*)&bits;
    }
    return found;
}
