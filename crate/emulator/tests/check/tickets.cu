// Counters that the last one to come sets back by a plain store, as libraries and courses have them. The first part is right; in the
// second one the thread that sets it back has not seen the last ticket, or by chance.

extern "C" __global__ void reset_min(unsigned* ticket) {
    if (atomicAdd(ticket, 1u) == gridDim.x - 1) *ticket = 0;
}

extern "C" __global__ void reset_fenced(unsigned* ticket) {
    __threadfence();
    const unsigned before = atomicAdd(ticket, 1u);
    __threadfence();
    if (before == gridDim.x - 1) *ticket = 0;
}

extern "C" __global__ void reset_volatile(unsigned* ticket) {
    if (atomicAdd(ticket, 1u) == gridDim.x - 1) *(volatile unsigned*)ticket = 0;
}

// The same within a block.
extern "C" __global__ void reset_shared(unsigned* out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        if (atomicAdd(&count, 1u) == blockDim.x / 32 - 1) count = 0;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

// A barrier of the grid that can be used again.
extern "C" __global__ void generations(unsigned* count, unsigned* generation, unsigned* x, unsigned* y, int rounds) {
    for (int k = 0; k < 2 * rounds; ++k) {
        if (k % 2 == 0) x[blockIdx.x] = k + blockIdx.x;
        else y[blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
        __threadfence();
        const unsigned mine = *(volatile unsigned*)generation;
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            *count = 0;
            __threadfence();
            atomicAdd(generation, 1u);
        } else {
            while (*(volatile unsigned*)generation == mine) {
            }
        }
        __threadfence();
    }
}

// The same for blocks of several warps.
__device__ void meet(unsigned* count, unsigned* generation) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned mine = *(volatile unsigned*)generation;
        __threadfence();
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            *count = 0;
            __threadfence();
            *(volatile unsigned*)generation = mine + 1;
        } else {
            while (*(volatile unsigned*)generation == mine) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void smooth(unsigned* count, unsigned* generation, int* a, int* b, int rounds) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rounds; ++k) {
        b[i] = a[(i + 1) % n] + 1;
        meet(count, generation);
        a[i] = b[i];
        meet(count, generation);
    }
}

// The last block adds up what the others left, and sets the ticket back for the next launch.
extern "C" __global__ void sum_all(const int* in, volatile int* parts, unsigned* ticket, int* out) {
    __shared__ int sums[2];
    __shared__ bool is_last;
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sums[0] + sums[1];
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        int sum = 0;
        for (int k = threadIdx.x; k < gridDim.x; k += blockDim.x) sum += parts[k];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            *out = sums[0] + sums[1];
            *ticket = 0;
        }
    }
}

// A queue of work, whose last customer leaves it as it was.
extern "C" __global__ void work_queue(unsigned* head, unsigned* left, const int* in, int* out, unsigned n) {
    __shared__ unsigned at;
    for (;;) {
        if (threadIdx.x == 0) at = atomicAdd(head, 1u);
        __syncthreads();
        const unsigned mine = at;
        __syncthreads();
        if (mine >= n) break;
        if (threadIdx.x < 32) out[32 * mine + threadIdx.x] = 2 * in[32 * mine + threadIdx.x];
    }
    if (threadIdx.x == 0 && atomicAdd(left, 1u) == gridDim.x - 1) {
        __threadfence();
        *head = 0;
        *left = 0;
    }
}

// A ring of two slots between two blocks: what a slot holds, and whether it is full.
extern "C" __global__ void ring(int* slots, int* full, int* out, int n) {
    for (int k = 0; k < n; ++k) {
        volatile int* flag = full + k % 2;
        if (blockIdx.x == 0) {
            while (*flag != 0) {
            }
            __threadfence();
            slots[k % 2] = 3 * k;
            __threadfence();
            *flag = 1;
        } else {
            while (*flag == 0) {
            }
            __threadfence();
            out[k] = slots[k % 2];
            __threadfence();
            *flag = 0;
        }
    }
}

// One block waits for all others, and sets the count back.
extern "C" __global__ void waits_for_all(unsigned* count, unsigned* out) {
    if (blockIdx.x > 0) {
        atomicAdd(count, 1u);
        return;
    }
    while (*(volatile unsigned*)count < gridDim.x - 1) {
    }
    out[0] = *count;
    *count = 0;
}

// ---- wrong ----

extern "C" __global__ void reset_by_number(unsigned* ticket, unsigned* out) {
    if (atomicAdd(ticket, 1u) == gridDim.x - 1) out[0] = 1;
    if (blockIdx.x == gridDim.x - 1) *ticket = 0; // the last by number
}

extern "C" __global__ void reset_by_first(unsigned* ticket) {
    if (atomicAdd(ticket, 1u) == 0) *ticket = 0; // the first
}

extern "C" __global__ void reset_too_early(unsigned* ticket) {
    if (atomicAdd(ticket, 1u) == gridDim.x - 2) *ticket = 0; // the last but one
}

extern "C" __global__ void reset_by_all(unsigned* ticket) {
    atomicAdd(ticket, 1u);
    *ticket = 0; // all of them
}

extern "C" __global__ void reset_shared_by_number(unsigned* out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        const unsigned mine = atomicAdd(&count, 1u);
        if (threadIdx.x == blockDim.x - 32) count = 0; // the last warp
        out[threadIdx.x / 32] = mine;
    }
}

// Without the fence the other blocks may come to the next round before the count is 0.
extern "C" __global__ void generations_unfenced(unsigned* count, unsigned* generation, int rounds) {
    for (int k = 0; k < rounds; ++k) {
        const unsigned mine = *(volatile unsigned*)generation;
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            *count = 0; // no fence
            atomicAdd(generation, 1u);
        } else {
            while (*(volatile unsigned*)generation == mine) {
            }
        }
    }
}
