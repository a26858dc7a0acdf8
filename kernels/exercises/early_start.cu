// y[i] = x[i] * prime[(x[i] >> shift) % 64], modulo 2^32.
//
// The kernel before this one in the stream writes x, and may still be at work: this one is launched
// as a programmatic dependent launch. The table is constant; nobody writes it.
//
// x, y: items numbers. Block 256; it covers 1024 items, four a thread.

__constant__ unsigned prime[64] = {
      2,   3,   5,   7,  11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,
     59,  61,  67,  71,  73,  79,  83,  89,  97, 101, 103, 107, 109, 113, 127, 131,
    137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223,
    227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311,
};

// Waits until the kernel before this one has ended, and what it wrote is visible: cudaGridDependencySynchronize().
__device__ void wait_for_previous()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

// The next kernel of the stream may begin once every block has come here: cudaTriggerProgrammaticLaunchCompletion().
__device__ void let_next_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// No `__restrict__` at x: what another kernel writes meanwhile must not be read past the caches of writes.
extern "C" __global__ void early_start(const unsigned* x, unsigned* y, unsigned items, unsigned shift)
{
    __shared__ unsigned table[64];
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;

//@ starter
    // TODO Right, but nothing of this kernel is done before the one before it has ended, and the next one
    // begins when this one has. Which of the work below needs nobody's results? And when may the
    // next kernel begin?
    wait_for_previous();
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ solution
    // The next kernel waits as well before it needs y, so that it may begin as soon as there is room.
    let_next_begin();
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    // From here on x is needed.
    wait_for_previous();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ waits_before_the_barrier
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    let_next_begin();
    wait_for_previous();
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ no_wait
    let_next_begin();
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ loads_first
    // The numbers are loaded before the wait, and used behind it.
    let_next_begin();
    unsigned found[4] = {};
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k * 256 < items)
            found[k] = x[first + k * 256];
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    wait_for_previous();
    #pragma unroll
    for (unsigned k = 0; k < 4; k++)
        if (first + k * 256 < items)
            y[first + k * 256] = found[k] * table[(found[k] >> shift) % 64];
//@ one_thread_waits
    // The others do not wait for the one that does.
    let_next_begin();
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        wait_for_previous();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ lets_nobody_begin
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    wait_for_previous();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ table_behind_the_wait
    let_next_begin();
    wait_for_previous();
    if (threadIdx.x < 64)
        table[threadIdx.x] = prime[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items) {
            const unsigned number = x[first + k];
            y[first + k] = number * table[(number >> shift) % 64];
        }
//@ end
}
