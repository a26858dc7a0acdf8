// Records what tensor copies do on a GPU: one line a copy or an encoding.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <dlfcn.h>
#include <cuda.h>
#include <cuda_runtime.h>
typedef CUresult (*Encode)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
    const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static Encode encode;
#define SMEM 8192
struct Result { uint64_t state; uint32_t done; uint32_t pad; };
__device__ uint32_t smem_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__global__ void load(const __grid_constant__ CUtensorMap map, int rank, int c0, int c1, int c2, int c3, int c4, uint32_t offset, uint32_t bytes, uint32_t* out, Result* result) {
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ __align__(8) uint64_t bar;
    uint32_t* words = (uint32_t*)tile;
    for (int i = threadIdx.x; i < SMEM / 4; i += blockDim.x) words[i] = 0xa5a5a5a5u;
    uint32_t b = smem_address(&bar), d = smem_address(tile) + offset;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("fence.proxy.async.shared::cta;");
    }
    __syncthreads();
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" :: "r"(b), "r"(bytes) : "memory");
        const void* m = &map;
        if (rank == 1) asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" :: "r"(d), "l"(m), "r"(c0), "r"(b) : "memory");
        if (rank == 2) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(d), "l"(m), "r"(c0), "r"(c1), "r"(b) : "memory");
        if (rank == 3) asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" :: "r"(d), "l"(m), "r"(c0), "r"(c1), "r"(c2), "r"(b) : "memory");
        if (rank == 4) asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];" :: "r"(d), "l"(m), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(b) : "memory");
        if (rank == 5) asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" :: "r"(d), "l"(m), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(b) : "memory");
    }
    uint32_t done = 0;
    for (int i = 0; i < 2000 && !done; ++i)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) { result->state = *(volatile uint64_t*)&bar; result->done = done; }
    for (int i = threadIdx.x; i < SMEM / 4; i += blockDim.x) out[i] = words[i];
}
// op: 0 store, 1 add, 2 min, 3 max, 4 and, 5 inc
template <int OP> __global__ void store(const __grid_constant__ CUtensorMap map, int rank, int c0, int c1, int c2, uint32_t offset, const uint32_t* in) {
    extern __shared__ __align__(1024) uint8_t tile[];
    uint32_t* words = (uint32_t*)tile;
    for (int i = threadIdx.x; i < SMEM / 4; i += blockDim.x) words[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    uint32_t s = smem_address(tile) + offset;
    if (threadIdx.x == 0) {
        const void* m = &map;
#define DO(name, op) \
        if (rank == 1) asm volatile(name ".1d.global.shared::cta" op ".tile.bulk_group [%0, {%1}], [%2];" :: "l"(m), "r"(c0), "r"(s) : "memory"); \
        if (rank == 2) asm volatile(name ".2d.global.shared::cta" op ".tile.bulk_group [%0, {%1, %2}], [%3];" :: "l"(m), "r"(c0), "r"(c1), "r"(s) : "memory"); \
        if (rank == 3) asm volatile(name ".3d.global.shared::cta" op ".tile.bulk_group [%0, {%1, %2, %3}], [%4];" :: "l"(m), "r"(c0), "r"(c1), "r"(c2), "r"(s) : "memory");
        if (OP == 0) { DO("cp.async.bulk.tensor", "") }
        if (OP == 1) { DO("cp.reduce.async.bulk.tensor", ".add") }
        if (OP == 2) { DO("cp.reduce.async.bulk.tensor", ".min") }
        if (OP == 3) { DO("cp.reduce.async.bulk.tensor", ".max") }
        if (OP == 4) { DO("cp.reduce.async.bulk.tensor", ".and") }
        if (OP == 5) { DO("cp.reduce.async.bulk.tensor", ".inc") }
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
static uint32_t word(uint32_t i) {
    uint32_t h = (i + 1) * 0x9e3779b1u;
    h ^= h >> 15; h *= 0x85ebca6bu; h ^= h >> 13;
    if (i % 7 == 3) h &= 0x807fffffu;
    if (i % 11 == 5) h |= 0x7f800000u;
    return h;
}
static const char* NAMES[] = {"u8","u16","u32","s32","u64","s64","f16","f32","f64","bf16","f32_ftz","tf32","tf32_ftz"};
static const int SIZES[] = {1,2,4,4,8,8,2,4,8,2,4,4,4};
enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, FTZ, TF32, TF32Z };
typedef std::vector<long long> L;
struct Case { int type; L dims, strides, box, estr; int swizzle, fill; L at; int offset; };
static std::string list(const L& l) { std::string s; for (size_t i = 0; i < l.size(); ++i) { if (i) s += ' '; s += std::to_string(l[i]); } return s; }
static FILE* csv; static int number, from_number;
static uint8_t* device; static uint32_t* out; static Result* result; static uint32_t* input;
static const size_t TENSOR = 1 << 20;
static int make(const Case& c, CUtensorMap* map, int interleave = 0, size_t shift = 0) {
    cuuint64_t dims[8] = {}, strides[8] = {}; cuuint32_t box[8] = {}, estr[8] = {};
    for (size_t i = 0; i < c.dims.size(); ++i) dims[i] = c.dims[i];
    for (size_t i = 0; i < c.strides.size(); ++i) strides[i] = c.strides[i];
    for (size_t i = 0; i < c.box.size(); ++i) box[i] = c.box[i];
    for (size_t i = 0; i < c.estr.size(); ++i) estr[i] = c.estr[i];
    return encode(map, (CUtensorMapDataType)c.type, c.dims.size(), device + shift, dims, strides, box, estr, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)c.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)c.fill);
}
static void describe(const char* op, const Case& c, int status) {
    fprintf(csv, "%s,%s,%s,%s,%s,%s,%d,%d,%s,%d,%d", op, NAMES[c.type], list(c.dims).c_str(), list(c.strides).c_str(), list(c.box).c_str(), list(c.estr).c_str(), c.swizzle, c.fill, list(c.at).c_str(), c.offset, status);
}
static void hex(const uint8_t* bytes, size_t count) { for (size_t i = 0; i < count; ++i) fprintf(csv, "%02x", bytes[i]); }
static size_t tile_bytes(const Case& c) {
    size_t n = SIZES[c.type];
    for (size_t i = 0; i < c.box.size(); ++i) n *= i ? (c.box[i] + c.estr[i] - 1) / c.estr[i] : c.box[i];
    return n;
}
static void run_load(const Case& c) {
    if (number++ < from_number) return;
    CUtensorMap map; int status = make(c, &map);
    std::vector<uint32_t> words(SMEM / 4); Result r = {};
    if (status == 0) {
        std::vector<uint32_t> source(TENSOR / 4);
        for (size_t i = 0; i < source.size(); ++i) source[i] = word(i);
        cudaMemcpy(device, source.data(), TENSOR, cudaMemcpyHostToDevice);
        L at = c.at; at.resize(5);
        load<<<1, 128, SMEM>>>(map, c.dims.size(), at[0], at[1], at[2], at[3], at[4], c.offset, tile_bytes(c), out, result);
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess) { fprintf(stderr, "load: %s\n", cudaGetErrorString(e)); describe("load", c, 1000 + e); fprintf(csv, ",,\n"); fclose(csv); printf("%d\n", number); exit(1); }
        cudaMemcpy(words.data(), out, SMEM, cudaMemcpyDeviceToHost); cudaMemcpy(&r, result, sizeof r, cudaMemcpyDeviceToHost);
    }
    describe("load", c, status);
    fprintf(csv, ",%u %016llx,", r.done, (unsigned long long)r.state);
    if (status == 0) { size_t n = SMEM; const uint8_t* b = (uint8_t*)words.data(); while (n > 0 && b[n - 1] == 0xa5) --n; hex(b, n); }
    fprintf(csv, "\n");
}
static const char* OPS[] = {"store", "add", "min", "max", "and", "inc"};
static void run_store(int op, const Case& c) {
    if (number++ < from_number) return;
    CUtensorMap map; int status = make(c, &map);
    size_t size = c.dims.size() == 1 ? c.dims[0] * SIZES[c.type] : c.strides.back() * c.dims.back();
    size = (size + 63) & ~15ull;
    std::vector<uint8_t> bytes(size);
    if (status == 0) {
        std::vector<uint32_t> source(SMEM / 4), before(TENSOR / 4);
        for (size_t i = 0; i < source.size(); ++i) source[i] = word(i);
        for (size_t i = 0; i < before.size(); ++i) before[i] = op ? word(i + 100000) : 0xa5a5a5a5u;
        cudaMemcpy(input, source.data(), SMEM, cudaMemcpyHostToDevice); cudaMemcpy(device, before.data(), TENSOR, cudaMemcpyHostToDevice);
        L at = c.at; at.resize(5); int rank = c.dims.size();
        if (op == 0) store<0><<<1, 128, SMEM>>>(map, rank, at[0], at[1], at[2], c.offset, input);
        if (op == 1) store<1><<<1, 128, SMEM>>>(map, rank, at[0], at[1], at[2], c.offset, input);
        if (op == 2) store<2><<<1, 128, SMEM>>>(map, rank, at[0], at[1], at[2], c.offset, input);
        if (op == 3) store<3><<<1, 128, SMEM>>>(map, rank, at[0], at[1], at[2], c.offset, input);
        if (op == 4) store<4><<<1, 128, SMEM>>>(map, rank, at[0], at[1], at[2], c.offset, input);
        if (op == 5) store<5><<<1, 128, SMEM>>>(map, rank, at[0], at[1], at[2], c.offset, input);
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess) { fprintf(stderr, "store: %s\n", cudaGetErrorString(e)); describe(OPS[op], c, 1000 + e); fprintf(csv, ",,\n"); fclose(csv); printf("%d\n", number); exit(1); }
        cudaMemcpy(bytes.data(), device, size, cudaMemcpyDeviceToHost);
    }
    describe(OPS[op], c, status); fprintf(csv, ",,"); if (status == 0) hex(bytes.data(), size); fprintf(csv, "\n");
}
static void run_encode(const char* what, const Case& c, int interleave = 0, size_t shift = 0) {
    if (from_number) return;
    CUtensorMap map; int status = make(c, &map, interleave, shift);
    describe("encode", c, status); fprintf(csv, ",%s interleave %d shift %zu,\n", what, interleave, shift);
}
int main(int argc, char** argv) {
    csv = fopen(argv[1], "a"); from_number = atoi(argv[2]);
    void* lib = dlopen("libcuda.so.1", RTLD_NOW); encode = (Encode)dlsym(lib, "cuTensorMapEncodeTiled");
    cudaMalloc(&device, TENSOR); cudaMalloc(&out, SMEM); cudaMalloc(&result, sizeof(Result)); cudaMalloc(&input, SMEM);
    // Encodings that the driver takes or refuses.
    Case g = {F32, {37, 21}, {160}, {8, 4}, {1, 1}, 0, 0, {0, 0}, 0};
    Case c = g; run_encode("good", c);
    c = g; run_encode("address", c, 0, 4); run_encode("address", c, 0, 8); run_encode("address", c, 0, 16);
    c.strides = {152}; run_encode("stride", c); c.strides = {144}; run_encode("stride short", c); c.strides = {16}; run_encode("stride 16", c); c.strides = {0}; run_encode("stride 0", c);
    c.strides = {(1ll << 40) - 16}; run_encode("stride large", c); c.strides = {1ll << 40}; run_encode("stride 2^40", c);
    c = g; c.box = {7, 4}; run_encode("box", c); c.box = {256, 4}; run_encode("box 256", c); c.box = {260, 4}; run_encode("box 260", c); c.box = {8, 256}; run_encode("box rows", c); c.box = {8, 257}; run_encode("box rows", c); c.box = {0, 4}; run_encode("box 0", c); c.box = {256, 256}; run_encode("box large", c); c.box = {64, 256}; run_encode("box 64K", c);
    c = g; c.estr = {1, 8}; run_encode("estr", c); c.estr = {1, 9}; run_encode("estr", c); c.estr = {0, 1}; run_encode("estr", c); c.estr = {1, 0}; run_encode("estr", c); c.estr = {9, 1}; run_encode("estr", c); c.estr = {3, 1}; run_encode("estr", c);
    c = g; c.dims = {0, 21}; run_encode("dims 0", c); c.dims = {1ll << 32, 1}; c.strides = {1ll << 34}; run_encode("dims 2^32", c); c.dims = {(1ll << 32) + 1, 1}; run_encode("dims over", c); c.dims = {5, 3}; c.strides = {160}; run_encode("box over dims", c);
    c = g; for (int s = 1; s <= 3; ++s) { c.swizzle = s; for (long long w : {4, 8, 12, 16, 32, 36, 64}) { c.box = {w, 4}; run_encode("swizzle", c); } }
    c = g; c.fill = 1; run_encode("fill", c); c.type = U32; run_encode("fill", c); c.type = F16; c.dims = {74, 21}; run_encode("fill", c); c.type = U8; c.box = {16, 4}; run_encode("fill", c); c.type = TF32; c.dims = {37, 21}; c.box = {8, 4}; run_encode("fill", c); c.type = F64; c.dims = {18, 21}; run_encode("fill", c);
    c = {F32, {8, 7, 5}, {64, 448}, {8, 3, 2}, {1, 1, 1}, 0, 0, {0, 0, 0}, 0}; run_encode("3d", c); c.strides = {64, 464}; run_encode("not multiple", c); c.strides = {448, 64}; run_encode("descending", c); c.strides = {64, 32}; run_encode("overlap", c);
    c = g; c.dims = {}; c.strides = {}; c.box = {}; c.estr = {}; run_encode("rank 0", c);
    c = {F32, {8, 2, 2, 2, 2, 2}, {32, 64, 128, 256, 512}, {8, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, 0, 0, {}, 0}; run_encode("rank 6", c);
    c = g; run_encode("interleave 16B rank 2", c, 1);
    c = {F16, {8, 7, 5}, {64, 448}, {8, 3, 2}, {1, 1, 1}, 0, 0, {0, 0, 0}, 0}; run_encode("interleave 16B", c, 1);
    c = g; c.type = U8; c.dims = {148, 21}; c.box = {16, 4}; run_encode("u8", c); c.box = {24, 4}; run_encode("u8", c);
    // Loads.
    for (auto at : std::vector<L>{{0, 0}, {4, 2}, {-4, -2}, {32, 19}, {36, 20}, {40, 0}, {0, 21}, {-8, 0}, {100, 100}, {-2147483644, 0}, {28, -3}, {5, 3}, {-3, 0}}) { c = g; c.at = at; run_load(c); }
    for (int s = 0; s <= 3; ++s) for (int span : {16, 32, 48, 64, 128}) {
        c = {F32, {37, 21}, {160}, {span / 4, 9}, {1, 1}, s, 0, {4, 1}, 0}; if (s && span > 16 << s) continue; run_load(c);
    }
    for (int t : {U8, U16, F16, BF16, U32, S32, U64, S64, F64}) for (int s : {0, 3}) {
        int n = SIZES[t]; c = {t, {200 / n, 13}, {208}, {(s ? 64 : 32) / n, 5}, {1, 1}, s, 0, {-16 / n, 10}, 0}; run_load(c); c.at = {192 / n, -1}; run_load(c); if (n < 4 && !s) { c.at = {8 / n, 0}; run_load(c); }
    }
    for (int s = 1; s <= 3; ++s) for (int offset : {128, 256, 384, 512, 640}) { c = {U8, {200, 13}, {208}, {16 << s, 4}, {1, 1}, s, 0, {32, 2}, offset}; run_load(c); }
    for (long long at : {-4, 0, 72, 88, 96, 100, -40}) { c = {U32, {100}, {}, {32}, {1}, 0, 0, {at}, 0}; run_load(c); c.offset = 256; run_load(c); }
    for (auto at : std::vector<L>{{0, 0, 0}, {16, 5, 4}, {-16, -1, -1}, {32, 2, 3}}) {
        c = {F32, {13, 7, 5}, {64, 448}, {8, 3, 2}, {1, 1, 1}, 0, 0, {at[0] / 4, at[1], at[2]}, 0}; run_load(c);
        c = {F16, {40, 7, 5}, {80, 640}, {32, 3, 2}, {1, 1, 1}, 2, 0, at, 0}; run_load(c);
        c = {U8, {144, 7, 5}, {144, 1008}, {128, 3, 2}, {1, 1, 1}, 3, 0, at, 0}; run_load(c);
    }
    c = {U16, {9, 4, 3, 3}, {32, 128, 384}, {8, 2, 2, 2}, {1, 1, 1, 1}, 0, 0, {8, 3, -1, 2}, 0}; run_load(c);
    c = {U16, {9, 4, 3, 3, 2}, {32, 128, 384, 1152}, {8, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, 1, 0, {-8, 1, 2, 0, 1}, 0}; run_load(c);
    for (auto e : std::vector<L>{{1, 2}, {1, 3}, {2, 1}, {1, 8}, {4, 4}}) { for (auto at : std::vector<L>{{4, 1}, {-4, -1}, {32, 15}}) { c = {U32, {37, 21}, {160}, {8, 8}, e, 0, 0, at, 0}; run_load(c); } c.swizzle = 1; run_load(c); }
    c = {U32, {13, 9, 9}, {64, 576}, {8, 5, 4}, {1, 2, 3}, 0, 0, {4, 2, 3}, 0}; run_load(c);
    for (int t : {F16, BF16, F32, F64, FTZ, TF32, TF32Z}) { int n = SIZES[t]; c = {t, {72 / n, 6}, {80}, {32 / n, 4}, {1, 1}, 0, 1, {-16 / n, -1}, 0}; run_load(c); }
    for (int t : {FTZ, TF32, TF32Z}) { c = {t, {37, 21}, {160}, {16, 6}, {1, 1}, 0, 0, {0, 0}, 0}; run_load(c); }
    // Stores and reductions.
    for (auto at : std::vector<L>{{0, 0}, {4, 3}, {-4, -2}, {12, 7}, {16, 8}, {-8, 0}}) for (int s : {0, 1, 3}) { c = {F32, {15, 9}, {64}, {8, 4}, {1, 1}, s, 0, at, s ? 128 : 0}; run_store(0, c); }
    c = {U8, {45, 9}, {48}, {32, 5}, {1, 1}, 2, 0, {16, -2}, 0}; run_store(0, c);
    c = {F64, {6, 5, 3}, {48, 240}, {4, 3, 2}, {1, 1, 1}, 2, 0, {4, -1, 2}, 0}; run_store(0, c);
    c = {U32, {50}, {}, {32}, {1}, 0, 0, {32}, 0}; run_store(0, c); c.at = {-8}; run_store(0, c);
    c = {U32, {15, 9}, {64}, {8, 7}, {1, 3}, 0, 0, {4, 1}, 0}; run_store(0, c); c.at = {5, 1}; run_store(0, c);
    c = {FTZ, {15, 9}, {64}, {8, 4}, {1, 1}, 0, 0, {0, 0}, 0}; run_store(0, c); c.type = TF32; run_store(0, c);
    for (int op = 1; op <= 5; ++op) { c = {U32, {15, 9}, {64}, {8, 4}, {1, 1}, 1, 0, {8, 6}, 0}; run_store(op, c); }
    for (int op = 1; op <= 3; ++op) { c = {S32, {15, 9}, {64}, {8, 4}, {1, 1}, 0, 0, {-4, 1}, 0}; run_store(op, c); }
    c = {F32, {15, 9}, {64}, {8, 4}, {1, 1}, 0, 0, {8, 6}, 0}; run_store(1, c);
    c = {F16, {30, 9}, {64}, {16, 4}, {1, 1}, 0, 0, {8, 6}, 0}; for (int op = 1; op <= 3; ++op) run_store(op, c);
    c = {BF16, {30, 9}, {64}, {16, 4}, {1, 1}, 0, 0, {8, 6}, 0}; for (int op = 1; op <= 3; ++op) run_store(op, c);
    c = {U64, {7, 9}, {64}, {4, 4}, {1, 1}, 0, 0, {4, 6}, 0}; for (int op = 1; op <= 4; ++op) run_store(op, c);
    fclose(csv);
    return 0;
}
