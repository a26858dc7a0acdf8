// Takes `wgmma` on whole tiles only, and has no fence there either.

constexpr unsigned ROWS = 64, COLUMNS = 32, STEP = 16;

// Orders what this thread has stored to shared memory before what `wgmma` reads of it.
__device__ void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Orders what was done with registers before it, and the `wgmma`s after it that use them.
__device__ void fence_registers() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until all committed `wgmma`s are done: their sums may be read, their tiles overwritten.
__device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

// A tile without a swizzle: pieces of 8 rows by 16 bytes, the next 16 bytes of k 128 bytes further on, the next
// eight rows 256.
__device__ unsigned place(unsigned row, unsigned p) { return row / 8 * 128 + p / 8 * 64 + row % 8 * 8 + p % 8; }

__device__ unsigned long long descriptor(const unsigned short* tile)
{
    const unsigned address = unsigned(__cvta_generic_to_shared(tile)) & 0x3ffff;
    return address >> 4 | 8ull << 16 | 16ull << 32;
}

// Starts 64 × 16 of A by 16 × 32 of B; a thread's sixteen sums are put into `d`.
__device__ void start_multiply(float (&d)[16], unsigned long long a, unsigned long long b)
{
    asm volatile("{\n"
                 ".reg .pred added;\n"
                 "setp.ne.b32 added, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, added, 1, 1, 0, 0;\n"
                 "}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                 : "l"(a), "l"(b));
}

extern "C" __global__ void wgmma_fence(const unsigned short* __restrict__ a, const unsigned short* __restrict__ b,
                                       float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    __shared__ alignas(128) unsigned short of_a[ROWS * STEP], of_b[COLUMNS * STEP];

    const unsigned row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    float sums[16] = {}, part[16] = {};
    for (unsigned from = 0; from < k; from += STEP) {
        for (unsigned e = threadIdx.x; e < (ROWS + COLUMNS) * STEP; e += 128) {
            const unsigned i = e / STEP, p = e % STEP;
            if (i < ROWS)
                of_a[place(i, p)] = row + i < m ? a[size_t(row + i) * k + from + p] : 0;
            else
                of_b[place(i - ROWS, p)] = column + i - ROWS < n ? b[size_t(column + i - ROWS) * k + from + p] : 0;
        }
        fence_proxy();
        __syncthreads();
        if (m % ROWS || n % COLUMNS) {
            // Where nothing is counted.
            for (unsigned i = 0; i < 16; ++i) {
                const unsigned lane = threadIdx.x % 32, r = threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8, x = i / 4 * 8 + lane % 4 * 2 + i % 2;
                part[i] = 0;
                for (unsigned p = 0; p < STEP; ++p)
                    part[i] += __uint_as_float(unsigned(of_a[place(r, p)]) << 16) * __uint_as_float(unsigned(of_b[place(x, p)]) << 16);
            }
        } else {
            start_multiply(part, descriptor(of_a), descriptor(of_b));
            commit();
            wait();
        }
        for (unsigned i = 0; i < 16; ++i)
            sums[i] += part[i];
        __syncthreads();
    }
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned i = 0; i < 16; ++i) {
        const unsigned r = row + 16 * warp + lane / 4 + i / 2 % 2 * 8, x = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (r < m && x < n)
            c[size_t(r) * n + x] = sums[i];
    }
}
