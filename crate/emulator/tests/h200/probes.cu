// One-warp probes: each kernel does one access, at the byte offset that `lanes` gives each lane (negative: the lane
// does not take part). `measure.sh` counts them with ncu; `probes.py` writes the patterns.

struct Lanes {
    int offset[32];
};

__device__ __forceinline__ int mine(const Lanes& lanes) {
    int offset = -1;
#pragma unroll
    for (int lane = 0; lane < 32; lane++)
        if (threadIdx.x == lane) offset = lanes.offset[lane];
    return offset;
}

#define PROBE(name, ...)                                                                             \
    extern "C" __global__ void name(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) { \
        int o = mine(lanes);                                                                         \
        char* p = base + o;                                                                          \
        if (o >= 0) { __VA_ARGS__ }                                                                         \
    }
#define SHARED_PROBE(name, ...)                                                                      \
    extern "C" __global__ void name(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) { \
        __shared__ __align__(1024) char memory[16384];                                               \
        int o = mine(lanes);                                                                         \
        unsigned p = (unsigned)__cvta_generic_to_shared(memory) + (unsigned)o;                       \
        if (o >= 0) { __VA_ARGS__ }                                                                         \
    }

// What is loaded counts as used, every bit of it, but is never stored.
__device__ __forceinline__ int folded(long long value) { return (int)(value ^ value >> 32); }
__device__ __forceinline__ int folded(double value) { return folded(__double_as_longlong(value)); }
template <typename T> __device__ __forceinline__ int folded(T value) { return (int)value; }
#define KEEP(value) if (folded(value) == magic) *sink = 1;
#define LOAD1(how, constraint, type, address) { type a; asm volatile("ld." how " %0, [%1];" : "=" constraint(a) : address(p) : "memory"); KEEP(a) }
#define LOAD2(how, constraint, type, address) { type a, b; asm volatile("ld." how " {%0, %1}, [%2];" : "=" constraint(a), "=" constraint(b) : address(p) : "memory"); KEEP(a ^ b) }
#define LOAD4(how, constraint, type, address) { type a, b, c, d; asm volatile("ld." how " {%0, %1, %2, %3}, [%4];" : "=" constraint(a), "=" constraint(b), "=" constraint(c), "=" constraint(d) : address(p) : "memory"); KEEP(a ^ b ^ c ^ d) }
#define STORE1(how, constraint, type, address) { asm volatile("st." how " [%0], %1;" :: address(p), constraint((type)o) : "memory"); }
#define STORE2(how, constraint, type, address) { asm volatile("st." how " [%0], {%1, %1};" :: address(p), constraint((type)o) : "memory"); }
#define STORE4(how, constraint, type, address) { asm volatile("st." how " [%0], {%1, %1, %1, %1};" :: address(p), constraint((type)o) : "memory"); }

// ---- loads and stores of global memory ----
PROBE(ld_global_u8, LOAD1("global.u8", "r", int, "l"))
PROBE(ld_global_s8, LOAD1("global.s8", "r", int, "l"))
PROBE(ld_global_u16, LOAD1("global.u16", "h", short, "l"))
PROBE(ld_global_u32, LOAD1("global.u32", "r", int, "l"))
PROBE(ld_global_u64, LOAD1("global.u64", "l", long long, "l"))
PROBE(ld_global_v2_u16, LOAD2("global.v2.u16", "h", short, "l"))
PROBE(ld_global_v4_u8, LOAD4("global.v4.u8", "r", int, "l"))
PROBE(ld_global_v2_u32, LOAD2("global.v2.u32", "r", int, "l"))
PROBE(ld_global_v4_u16, LOAD4("global.v4.u16", "h", short, "l"))
PROBE(ld_global_v2_u64, LOAD2("global.v2.u64", "l", long long, "l"))
PROBE(ld_global_v4_u32, LOAD4("global.v4.u32", "r", int, "l"))
PROBE(ld_global_ca, LOAD1("global.ca.u32", "r", int, "l"))
PROBE(ld_global_cg, LOAD1("global.cg.u32", "r", int, "l"))
PROBE(ld_global_cs, LOAD1("global.cs.u32", "r", int, "l"))
PROBE(ld_global_lu, LOAD1("global.lu.u32", "r", int, "l"))
PROBE(ld_global_cv, LOAD1("global.cv.u32", "r", int, "l"))
PROBE(ld_global_nc, LOAD1("global.nc.u32", "r", int, "l"))
PROBE(ld_global_nc_v4, LOAD4("global.nc.v4.u32", "r", int, "l"))
PROBE(ld_global_nc_l1_no_allocate, LOAD1("global.nc.L1::no_allocate.u32", "r", int, "l"))
PROBE(ld_global_l2_256, LOAD1("global.L2::256B.u32", "r", int, "l"))
PROBE(ld_volatile_global, LOAD1("volatile.global.u32", "r", int, "l"))
PROBE(ld_relaxed_global, LOAD1("relaxed.gpu.global.u32", "r", int, "l"))
PROBE(ld_acquire_global, LOAD1("acquire.gpu.global.u32", "r", int, "l"))
PROBE(ld_generic_global, LOAD1("u32", "r", int, "l"))
PROBE(ld_generic_global_v4, LOAD4("v4.u32", "r", int, "l"))
PROBE(st_global_u8, STORE1("global.u8", "r", int, "l"))
PROBE(st_global_u16, STORE1("global.u16", "h", short, "l"))
PROBE(st_global_u32, STORE1("global.u32", "r", int, "l"))
PROBE(st_global_u64, STORE1("global.u64", "l", long long, "l"))
PROBE(st_global_v2_u16, STORE2("global.v2.u16", "h", short, "l"))
PROBE(st_global_v4_u8, STORE4("global.v4.u8", "r", int, "l"))
PROBE(st_global_v2_u32, STORE2("global.v2.u32", "r", int, "l"))
PROBE(st_global_v2_u64, STORE2("global.v2.u64", "l", long long, "l"))
PROBE(st_global_v4_u32, STORE4("global.v4.u32", "r", int, "l"))
PROBE(st_global_wb, STORE1("global.wb.u32", "r", int, "l"))
PROBE(st_global_cg, STORE1("global.cg.u32", "r", int, "l"))
PROBE(st_global_cs, STORE1("global.cs.u32", "r", int, "l"))
PROBE(st_global_wt, STORE1("global.wt.u32", "r", int, "l"))
PROBE(st_volatile_global, STORE1("volatile.global.u32", "r", int, "l"))
PROBE(st_relaxed_global, STORE1("relaxed.gpu.global.u32", "r", int, "l"))
PROBE(st_release_global, STORE1("release.gpu.global.u32", "r", int, "l"))
PROBE(st_generic_global, STORE1("u32", "r", int, "l"))
PROBE(prefetch_l1, asm volatile("prefetch.global.L1 [%0];" :: "l"(p));)
PROBE(prefetch_l2, asm volatile("prefetch.global.L2 [%0];" :: "l"(p));)

// A guard in the place of a branch.
extern "C" __global__ void ld_global_guarded(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    int o = mine(lanes), a = 0;
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %1, 0; @p ld.global.u32 %0, [%2]; }" : "+r"(a) : "r"(o), "l"(base + o) : "memory");
    KEEP(a)
}
extern "C" __global__ void st_global_guarded(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    int o = mine(lanes);
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, 0; @p st.global.u32 [%1], %0; }" :: "r"(o), "l"(base + o) : "memory");
}
extern "C" __global__ void red_global_guarded(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    int o = mine(lanes);
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, 0; @p red.global.add.u32 [%1], %0; }" :: "r"(o), "l"(base + o) : "memory");
}
extern "C" __global__ void st_shared_guarded(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    __shared__ __align__(1024) char memory[16384];
    int o = mine(lanes);
    unsigned p = (unsigned)__cvta_generic_to_shared(memory) + (unsigned)o;
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, 0; @p st.shared.u32 [%1], %0; }" :: "r"(o), "r"(p) : "memory");
}

// ---- loads and stores of shared memory ----
SHARED_PROBE(ld_shared_s8, LOAD1("shared.s8", "r", int, "r"))
SHARED_PROBE(ld_shared_u16, LOAD1("shared.u16", "h", short, "r"))
SHARED_PROBE(ld_shared_u32, LOAD1("shared.u32", "r", int, "r"))
SHARED_PROBE(ld_shared_u64, LOAD1("shared.u64", "l", long long, "r"))
SHARED_PROBE(ld_shared_v2_u32, LOAD2("shared.v2.u32", "r", int, "r"))
SHARED_PROBE(ld_shared_v4_u8, LOAD4("shared.v4.u8", "r", int, "r"))
SHARED_PROBE(ld_shared_v2_u64, LOAD2("shared.v2.u64", "l", long long, "r"))
SHARED_PROBE(ld_shared_v4_u32, LOAD4("shared.v4.u32", "r", int, "r"))
SHARED_PROBE(ld_volatile_shared, LOAD1("volatile.shared.u32", "r", int, "r"))
SHARED_PROBE(st_shared_u8, STORE1("shared.u8", "r", int, "r"))
SHARED_PROBE(st_shared_u16, STORE1("shared.u16", "h", short, "r"))
SHARED_PROBE(st_shared_u32, STORE1("shared.u32", "r", int, "r"))
SHARED_PROBE(st_shared_u64, STORE1("shared.u64", "l", long long, "r"))
SHARED_PROBE(st_shared_v4_u8, STORE4("shared.v4.u8", "r", int, "r"))
SHARED_PROBE(st_shared_v2_u64, STORE2("shared.v2.u64", "l", long long, "r"))
SHARED_PROBE(st_shared_v4_u32, STORE4("shared.v4.u32", "r", int, "r"))
SHARED_PROBE(st_volatile_shared, STORE1("volatile.shared.u32", "r", int, "r"))
extern "C" __global__ void ld_generic_shared(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    __shared__ __align__(1024) char memory[16384];
    int o = mine(lanes);
    char* p = memory + o;
    // A generic address of which the compiler cannot see the space.
    asm volatile("mov.u64 %0, %1;" : "=l"(p) : "l"(p));
    if (o >= 0) LOAD1("u32", "r", int, "l")
}
extern "C" __global__ void st_generic_shared(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    __shared__ __align__(1024) char memory[16384];
    int o = mine(lanes);
    char* p = memory + o;
    if (magic == 1) p = base + o;
    if (o >= 0) STORE1("u32", "r", int, "l")
    __syncthreads();
    if (magic == 2) *sink = memory[threadIdx.x];
}

// ---- local memory: stored at o, loaded at its mirror image ----
#define LOCAL_PROBE(name, st, ld, constraint, type, last)                                           \
    PROBE(name, type a; asm volatile("{ .reg .u64 at; .local .align 16 .b8 memory[2048]; mov.u64 at, memory; add.u64 at, at, %1; " st \
        "mov.u64 at, memory; sub.u64 at, at, %1; add.u64 at, at, " #last "; " ld " }" : "=" constraint(a) : "l"((long long)o), constraint((type)o) : "memory"); KEEP(a))
LOCAL_PROBE(local_u8, "st.local.u8 [at], %2; ", "ld.local.u8 %0, [at];", "r", int, 2047)
LOCAL_PROBE(local_u16, "st.local.u16 [at], %2; ", "ld.local.u16 %0, [at];", "h", short, 2046)
LOCAL_PROBE(local_u32, "st.local.u32 [at], %2; ", "ld.local.u32 %0, [at];", "r", int, 2044)
LOCAL_PROBE(local_u64, "st.local.u64 [at], %2; ", "ld.local.u64 %0, [at];", "l", long long, 2040)
LOCAL_PROBE(local_v4_u32, "st.local.v4.u32 [at], {%2, %2, %2, %2}; ", "{ .reg .u32 b, c, d; ld.local.v4.u32 {%0, b, c, d}, [at]; xor.b32 b, b, c; xor.b32 b, b, d; xor.b32 %0, %0, b; }", "r", int, 2032)

// ---- constant memory ----
__constant__ int table[4096];
PROBE(ld_const_u32, KEEP(table[o / 4]))

// ---- atomics with a result ----
#define ATOM(how, constraint, type, address) { type a; asm volatile("atom." how " %0, [%1], %2;" : "=" constraint(a) : address(p), constraint((type)(o + 1)) : "memory"); KEEP(a) }
#define CAS(how, constraint, type, address) { type a; asm volatile("atom." how " %0, [%1], %2, %3;" : "=" constraint(a) : address(p), constraint((type)o), constraint((type)magic) : "memory"); KEEP(a) }
#define RED(how, constraint, type, address) { asm volatile("red." how " [%0], %1;" :: address(p), constraint((type)(o + 1)) : "memory"); }
PROBE(atom_global_add_u32, ATOM("global.add.u32", "r", int, "l"))
PROBE(atom_global_min_s32, ATOM("global.min.s32", "r", int, "l"))
PROBE(atom_global_max_u32, ATOM("global.max.u32", "r", int, "l"))
PROBE(atom_global_and_b32, ATOM("global.and.b32", "r", int, "l"))
PROBE(atom_global_or_b32, ATOM("global.or.b32", "r", int, "l"))
PROBE(atom_global_xor_b32, ATOM("global.xor.b32", "r", int, "l"))
PROBE(atom_global_inc_u32, ATOM("global.inc.u32", "r", int, "l"))
PROBE(atom_global_dec_u32, ATOM("global.dec.u32", "r", int, "l"))
PROBE(atom_global_exch_b32, ATOM("global.exch.b32", "r", int, "l"))
PROBE(atom_global_cas_b32, CAS("global.cas.b32", "r", int, "l"))
PROBE(atom_global_add_u64, ATOM("global.add.u64", "l", long long, "l"))
PROBE(atom_global_max_s64, ATOM("global.max.s64", "l", long long, "l"))
PROBE(atom_global_exch_b64, ATOM("global.exch.b64", "l", long long, "l"))
PROBE(atom_global_cas_b64, CAS("global.cas.b64", "l", long long, "l"))
PROBE(atom_global_cas_b16, CAS("global.cas.b16", "h", short, "l"))
PROBE(atom_global_add_f32, ATOM("global.add.f32", "f", float, "l"))
PROBE(atom_global_add_f64, ATOM("global.add.f64", "d", double, "l"))
PROBE(atom_global_add_f16x2, ATOM("global.add.noftz.f16x2", "r", int, "l"))
PROBE(atom_global_add_f16, ATOM("global.add.noftz.f16", "h", short, "l"))
PROBE(atom_global_add_bf16x2, ATOM("global.add.noftz.bf16x2", "r", int, "l"))
PROBE(atom_global_acq_rel, ATOM("acq_rel.gpu.global.add.u32", "r", int, "l"))
PROBE(atom_global_sys, ATOM("relaxed.sys.global.add.u32", "r", int, "l"))
PROBE(atom_global_block, ATOM("relaxed.cta.global.add.u32", "r", int, "l"))
PROBE(atom_generic_global, ATOM("add.u32", "r", int, "l"))
PROBE(atom_global_unused, int a; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(a) : "l"(p), "r"(o + 1) : "memory");)
PROBE(atom_global_unused_exch, int a; asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(a) : "l"(p), "r"(o + 1) : "memory");)
PROBE(atom_global_unused_cas, int a; asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(a) : "l"(p), "r"(o), "r"(magic) : "memory");)
PROBE(atom_global_unused_one, int a; asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(a) : "l"(p) : "memory");)
PROBE(atom_global_one, int a; asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(a) : "l"(p) : "memory"); KEEP(a))
PROBE(red_global_add_u32, RED("global.add.u32", "r", int, "l"))
PROBE(red_global_min_s32, RED("global.min.s32", "r", int, "l"))
PROBE(red_global_or_b32, RED("global.or.b32", "r", int, "l"))
PROBE(red_global_inc_u32, RED("global.inc.u32", "r", int, "l"))
PROBE(red_global_add_u64, RED("global.add.u64", "l", long long, "l"))
PROBE(red_global_max_u64, RED("global.max.u64", "l", long long, "l"))
PROBE(red_global_add_f32, RED("global.add.f32", "f", float, "l"))
PROBE(red_global_add_f64, RED("global.add.f64", "d", double, "l"))
PROBE(red_global_add_f16x2, RED("global.add.noftz.f16x2", "r", int, "l"))
PROBE(red_global_v2_f32, asm volatile("red.global.v2.f32.add [%0], {%1, %1};" :: "l"(p), "f"((float)o) : "memory");)
PROBE(red_global_v4_f32, asm volatile("red.global.v4.f32.add [%0], {%1, %1, %1, %1};" :: "l"(p), "f"((float)o) : "memory");)
PROBE(red_generic_global, RED("add.u32", "r", int, "l"))

// ---- atomics on shared memory ----
SHARED_PROBE(atom_shared_add_u32, ATOM("shared.add.u32", "r", int, "r"))
SHARED_PROBE(atom_shared_min_s32, ATOM("shared.min.s32", "r", int, "r"))
SHARED_PROBE(atom_shared_max_u32, ATOM("shared.max.u32", "r", int, "r"))
SHARED_PROBE(atom_shared_and_b32, ATOM("shared.and.b32", "r", int, "r"))
SHARED_PROBE(atom_shared_xor_b32, ATOM("shared.xor.b32", "r", int, "r"))
SHARED_PROBE(atom_shared_inc_u32, ATOM("shared.inc.u32", "r", int, "r"))
SHARED_PROBE(atom_shared_exch_b32, ATOM("shared.exch.b32", "r", int, "r"))
SHARED_PROBE(atom_shared_cas_b32, CAS("shared.cas.b32", "r", int, "r"))
SHARED_PROBE(atom_shared_add_u64, ATOM("shared.add.u64", "l", long long, "r"))
SHARED_PROBE(atom_shared_max_u64, ATOM("shared.max.u64", "l", long long, "r"))
SHARED_PROBE(atom_shared_exch_b64, ATOM("shared.exch.b64", "l", long long, "r"))
SHARED_PROBE(atom_shared_cas_b64, CAS("shared.cas.b64", "l", long long, "r"))
SHARED_PROBE(atom_shared_add_f32, ATOM("shared.add.f32", "f", float, "r"))
SHARED_PROBE(atom_shared_add_f64, ATOM("shared.add.f64", "d", double, "r"))
SHARED_PROBE(atom_shared_add_f16x2, ATOM("shared.add.noftz.f16x2", "r", int, "r"))
SHARED_PROBE(red_shared_add_u32, RED("shared.add.u32", "r", int, "r"))
SHARED_PROBE(red_shared_max_s32, RED("shared.max.s32", "r", int, "r"))
SHARED_PROBE(red_shared_or_b32, RED("shared.or.b32", "r", int, "r"))
SHARED_PROBE(red_shared_add_u64, RED("shared.add.u64", "l", long long, "r"))
SHARED_PROBE(red_shared_add_f32, RED("shared.add.f32", "f", float, "r"))
SHARED_PROBE(red_shared_one, asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(p) : "memory");)
SHARED_PROBE(atom_shared_one, int a; asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(a) : "r"(p) : "memory"); KEEP(a))
SHARED_PROBE(atom_shared_unused, int a; asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(a) : "r"(p), "r"(o + 1) : "memory");)
SHARED_PROBE(atom_shared_unused_one, int a; asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(a) : "r"(p) : "memory");)
SHARED_PROBE(atom_shared_unused_two, int a; asm volatile("atom.shared.add.u32 %0, [%1], 2;" : "=r"(a) : "r"(p) : "memory");)
extern "C" __global__ void atom_generic_shared(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    __shared__ __align__(1024) char memory[16384];
    int o = mine(lanes);
    char* p = memory + o;
    if (magic == 1) p = base + o;
    if (o >= 0) ATOM("add.u32", "r", int, "l")
}

// ---- copies that pass the registers by ----
#define COPY(name, how, bytes, place, more)                                                          \
    SHARED_PROBE(name, asm volatile("cp.async." how ".shared.global [%0], [%1], " #bytes more ";" :: "r"((unsigned)__cvta_generic_to_shared(memory) + place), "l"(base + o), "r"(magic & 4) : "memory"); \
        asm volatile("cp.async.wait_all;" ::: "memory");)
COPY(cp_async_ca_4, "ca", 4, (threadIdx.x * 4), "")
COPY(cp_async_ca_8, "ca", 8, (threadIdx.x * 8), "")
COPY(cp_async_ca_16, "ca", 16, (threadIdx.x * 16), "")
COPY(cp_async_cg_16, "cg", 16, (threadIdx.x * 16), "")
COPY(cp_async_ca_4_scattered, "ca", 4, (o & 16383), "")
COPY(cp_async_ca_8_scattered, "ca", 8, (o & 16383), "")
COPY(cp_async_ca_16_scattered, "ca", 16, (o & 16383), "")
COPY(cp_async_cg_16_scattered, "cg", 16, (o & 16383), "")
COPY(cp_async_ca_4_filled, "ca", 4, (threadIdx.x * 4), ", %2")
COPY(cp_async_cg_16_filled, "cg", 16, (threadIdx.x * 16), ", %2")

// Every lane gives the address of a row of 16 bytes.
SHARED_PROBE(ldmatrix_x1, int a; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(p) : "memory"); KEEP(a))
SHARED_PROBE(ldmatrix_x2, int a, b; asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(p) : "memory"); KEEP(a ^ b))
SHARED_PROBE(ldmatrix_x4, int a, b, c, d; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory"); KEEP(a ^ b ^ c ^ d))
SHARED_PROBE(ldmatrix_x4_trans, int a, b, c, d; asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory"); KEEP(a ^ b ^ c ^ d))
SHARED_PROBE(stmatrix_x1, asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(p), "r"(o) : "memory");)
SHARED_PROBE(stmatrix_x4, asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" :: "r"(p), "r"(o) : "memory");)

// Bulk copies: the lanes with an offset copy `magic` bytes each.
extern "C" __global__ void bulk_load(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    __shared__ __align__(1024) char memory[16384];
    __shared__ __align__(8) unsigned long long barrier;
    int o = mine(lanes);
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(memory);
    if (o >= 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(bar) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" :: "r"(bar), "r"(magic) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(to), "l"(base + o), "r"(magic), "r"(bar) : "memory");
        int done = 0;
        while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
    }
}
extern "C" __global__ void bulk_store(const __grid_constant__ Lanes lanes, char* base, int* sink, int magic) {
    __shared__ __align__(1024) char memory[16384];
    int o = mine(lanes);
    unsigned from = (unsigned)__cvta_generic_to_shared(memory);
    if (o >= 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(base + o), "r"(from), "r"(magic) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
