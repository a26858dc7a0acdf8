// Threads that use global memory without order between them: of one block, or of several, which no barrier orders.

//# mistake global_histogram: `+= 1` reads, adds and writes; two threads can read the same count
//# launch --grid 4 --block 64 --arg u32[256]=random:11 --arg u32[16]=zero
//# finds race
//# gives 1 histogram 16
extern "C" __global__ void global_histogram(const unsigned* in, unsigned* bins) {
    unsigned bin = in[blockIdx.x * blockDim.x + threadIdx.x] % 16;
#ifdef FIXED
    atomicAdd(&bins[bin], 1);
#else
    bins[bin] += 1; // MISTAKE
#endif
}

//# mistake block_sums_added: one thread of each block adds to the result, without an atomic
//# launch --grid 5 --block 32 --arg i32[160]=iota --arg i32[1]=zero
//# finds race
//# gives 1 sum
extern "C" __global__ void block_sums_added(const int* in, int* out) {
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) {
#ifdef FIXED
        atomicAdd(out, sum);
#else
        *out += sum; // MISTAKE
#endif
    }
}

//# mistake last_writer: every thread that finds something writes its own index
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[1]=poison --arg i32=100
//# fixed --grid 4 --block 32 --arg i32[100]=iota --arg i32[1]=iota --arg i32=100
//# finds race
//# gives 1 last_three_modulo_seven
extern "C" __global__ void last_writer(const int* in, int* found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 7 == 3) {
#ifdef FIXED
        atomicMax(found, i);
#else
        *found = i; // MISTAKE
#endif
    }
}

//# mistake in_place_transpose: each pair is exchanged by two threads
//# launch --grid 2,2 --block 16,16 --arg i32[729]=iota --arg i32=27
//# finds race
//# gives 0 square_transpose
extern "C" __global__ void in_place_transpose(int* data, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
#ifdef FIXED
    if (x >= y) return;
#endif
    int value = data[y * n + x]; // MISTAKE
    data[y * n + x] = data[x * n + y]; // MISTAKE
    data[x * n + y] = value; // MISTAKE
}

//# mistake in_place_stencil: a thread overwrites what its neighbours still have to read
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32=100
//# finds race
//# gives 1 thirds
extern "C" __global__ void in_place_stencil(int* data, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = i > 0 ? data[i - 1] : 0; // MISTAKE
    int right = i + 1 < n ? data[i + 1] : 0; // MISTAKE
    int sum = left + data[i] + right;
#ifdef FIXED
    out[i] = sum / 3;
#else
    data[i] = sum / 3; // MISTAKE
    out[i] = 0;
#endif
}

//# mistake no_grid_barrier: block 0 adds up what the other blocks may not have written yet
//# launch --grid 5 --block 32 --arg i32[160]=iota --arg i32[5]=poison --arg i32[5]=poison
//# finds race
//# gives 2 running_block_sums 32
extern "C" __global__ void no_grid_barrier(const int* in, int* sums, int* out) {
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = sum; // MISTAKE
#ifdef FIXED
    // Nothing of other blocks is read: each adds up all that it needs itself.
    int total = 0;
    for (int i = 0; i < 32 * (blockIdx.x + 1); ++i) total += in[i];
#else
    int total = 0;
    for (int b = 0; b <= blockIdx.x; ++b) total += sums[b]; // MISTAKE
#endif
    out[blockIdx.x] = total;
}

//# mistake syncthreads_for_the_grid: `__syncthreads()` waits for the block, not for the grid
//# launch --grid 4 --block 32 --arg i32[128]=iota --arg i32[128]=poison --arg i32[128]=poison
//# fixed --grid 1 --block 128 --arg i32[128]=iota --arg i32[128]=poison --arg i32[128]=poison
//# finds race uninitialized
//# gives 2 reversed_plus_one
extern "C" __global__ void syncthreads_for_the_grid(const int* in, int* middle, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    middle[i] = in[i] + 1; // MISTAKE
    __syncthreads();
    out[i] = middle[n - 1 - i]; // MISTAKE
}

//# mistake no_barrier_for_global: global memory needs the barrier as much as shared memory
//# launch --grid 1 --block 96 --arg i32[96]=iota --arg i32[96]=poison --arg i32[96]=poison
//# finds race
//# gives 2 reversed_plus_one
extern "C" __global__ void no_barrier_for_global(const int* in, int* middle, int* out) {
    int i = threadIdx.x;
    middle[i] = in[i] + 1; // MISTAKE
#ifdef FIXED
    __syncthreads();
#endif
    out[i] = middle[95 - i]; // MISTAKE
}

//# mistake flag_without_fence: the flag may be seen before the data
//# launch --grid 2 --block 1 --arg i32[1]=zero --arg i32[1]=zero --arg i32[1]=poison
//# finds race
//# gives 2 answer
extern "C" __global__ void flag_without_fence(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42; // MISTAKE
#ifdef FIXED
        __threadfence();
        atomicExch(flag, 1);
#else
        *(volatile int*)flag = 1; // MISTAKE
#endif
    } else {
#ifdef FIXED
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        *out = *(volatile int*)data;
#else
        while (*(volatile int*)flag == 0) {} // MISTAKE
        *out = *data; // MISTAKE
#endif
    }
}

//# mistake last_block_without_fence: the last block to finish reads sums that no fence has published
//# launch --grid 6 --block 32 --arg i32[192]=iota --arg i32[6]=poison --arg u32[1]=zero --arg i32[1]=poison
//# finds race
//# gives 3 sum
extern "C" __global__ void last_block_without_fence(const int* in, int* sums, unsigned* done, int* out) {
    int sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = sum; // MISTAKE
#ifdef FIXED
    __threadfence();
#endif
    if (atomicAdd(done, 1) == gridDim.x - 1) {
#ifdef FIXED
        __threadfence();
#endif
        int total = 0;
        for (int b = 0; b < gridDim.x; ++b) total += sums[b]; // MISTAKE
        *out = total;
    }
}

//# mistake atomic_beside_plain_add: an atomic does not protect from those who add without one
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[1]=zero --arg i32=100
//# finds race
//# gives 1 number_of_elements
extern "C" __global__ void atomic_beside_plain_add(const int* in, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] % 2) atomicAdd(count, 1); // MISTAKE
#ifdef FIXED
    else atomicAdd(count, 1);
#else
    else *count += 1; // MISTAKE
#endif
}

//# mistake atomic_then_plain_read: the count is read again instead of what the atomic returned
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32[1]=zero --arg i32=100
//# finds race
//# gives 2 number_of_even
extern "C" __global__ void atomic_then_plain_read(const int* in, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 2) return;
#ifdef FIXED
    int slot = atomicAdd(count, 1);
#else
    atomicAdd(count, 1); // MISTAKE
    int slot = *(volatile int*)count - 1; // MISTAKE
#endif
    out[slot] = in[i]; // MISTAKE
}

//# mistake plain_stack: two threads can take the same slot
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32[1]=zero --arg i32=100
//# finds race
//# gives 2 number_of_even
extern "C" __global__ void plain_stack(const int* in, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 2) return;
#ifdef FIXED
    int slot = atomicAdd(count, 1);
#else
    int slot = *count; // MISTAKE
    *count = slot + 1; // MISTAKE
#endif
    out[slot] = in[i]; // MISTAKE
}

//# mistake wrong_grid_stride: every block goes over all of the array, with the stride of one
//# launch --grid 3 --block 64 --arg i32[1000]=iota --arg i32=1000
//# finds race
//# gives 0 doubled
extern "C" __global__ void wrong_grid_stride(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    int stride = gridDim.x * blockDim.x;
#else
    int stride = blockDim.x;
#endif
    for (; i < n; i += stride) data[i] *= 2; // MISTAKE
}

//# mistake forgotten_block_index: every block works on the first elements
//# launch --grid 4 --block 25 --arg i32[100]=iota
//# finds race
//# gives 0 doubled
extern "C" __global__ void forgotten_block_index(int* data) {
#ifdef FIXED
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#else
    int i = threadIdx.x;
#endif
    data[i] *= 2; // MISTAKE
}

//# mistake column_sums: the rows of a column are added to one element by many threads
//# launch --grid 2,3 --block 32,16 --arg i32[1665]=iota --arg i32[45]=zero --arg i32=37 --arg i32=45
//# finds race
//# gives 1 sums_of_columns
extern "C" __global__ void column_sums(const int* in, int* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
#ifdef FIXED
    atomicAdd(&out[x], in[y * columns + x]);
#else
    out[x] += in[y * columns + x]; // MISTAKE
#endif
}

//# mistake overlapping_tiles: tiles of 33 at a distance of 32 share an element, and differ in it
//# launch --grid 3 --block 33 --arg i32[97]=iota --arg i32[97]=poison
//# finds race
//# gives 1 block_added 32
extern "C" __global__ void overlapping_tiles(const int* in, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
    if (threadIdx.x < 32 || blockIdx.x == gridDim.x - 1)
#endif
        out[i] = in[i] + blockIdx.x; // MISTAKE
}
