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
