// y[i] = x[i] * prime[(x[i] >> shift) % 64], modulo 2^32.
//
// x, y: items numbers. Block 256; it covers 1024 items, four a thread.

__constant__ unsigned prime[64] = {
      2,   3,   5,   7,  11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,
     59,  61,  67,  71,  73,  79,  83,  89,  97, 101, 103, 107, 109, 113, 127, 131,
    137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223,
    227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311,
};

extern "C" __global__ void prime_table(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                       unsigned items, unsigned shift)
{
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;

//@ starter
    // TODO The result is right. But constant memory gives one word at a time: a load whose lanes
    // ask for 25 different words takes 25 turns. Put the table where lanes may ask for
    // different words at once, and go to constant memory 64 times a block, not more.
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * prime[(number >> shift) % 64];
        }
//@ solution
    __shared__ unsigned table[64];
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();

    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ two_tables
    // Two copies, one for each half of a warp's lanes.
    __shared__ unsigned table[64][2];
    if (threadIdx.x < 64)
        table[threadIdx.x][0] = table[threadIdx.x][1] = prime[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64][threadIdx.x % 2];
        }
//@ each_warp
    // Every warp fills the table by itself.
    __shared__ unsigned table[8][64];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    table[warp][lane] = prime[lane];
    table[warp][lane + 32] = prime[lane + 32];
    __syncwarp();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[warp][(number >> shift) % 64];
        }
//@ no_barrier
    __shared__ unsigned table[64];
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ half_a_table
    __shared__ unsigned table[64];
    if (threadIdx.x < 32)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ by_turns
    // Goes through the whole table for each number: every load is uniform, and there are 64.
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            unsigned factor = 0;
            for (unsigned j = 0; j < 64; j++)
                if (j == (number >> shift) % 64)
                    factor = prime[j];
            y[first + k] = number * factor;
        }
//@ local_table
    unsigned table[64];
    for (unsigned j = 0; j < 64; j++)
        table[j] = prime[j];
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ end
}
