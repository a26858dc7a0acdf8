// Threads that get what nobody has written, and drop it; and those that use it after all.
typedef unsigned u32;
#define KERNEL extern "C" __global__ void
#define ITEMS 3
#define THREADS 48

// As CUB's block merge sort merges: each step loads the next key of one run, past its end too, and compares it under a
// condition that decides alone there.
template <bool IS_WRONG>
__device__ void merge(const u32* __restrict__ in, u32* __restrict__ out) {
    __shared__ u32 keys[ITEMS * THREADS + 1];
    for (int i = threadIdx.x; i < ITEMS * THREADS; i += THREADS) keys[i] = in[i];
    __syncthreads();
    const int half = ITEMS * THREADS / 2;
    int diagonal = threadIdx.x * ITEMS;
    int low = max(0, diagonal - half), high = min(diagonal, half);
    while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] <= keys[half + diagonal - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    int first = low, second = half + diagonal - low;
    u32 a = keys[first];
    u32 b = keys[second];  // merged
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        bool takes_b = (second < 2 * half + IS_WRONG) && ((first >= half) || (b < a));
        out[threadIdx.x * ITEMS + item] = takes_b ? b : a;
        if (takes_b) b = keys[++second];  // merged
        else a = keys[++first];
    }
}
KERNEL merge_runs(const u32* __restrict__ in, u32* __restrict__ out) { merge<false>(in, out); }
KERNEL merge_runs_too_far(const u32* __restrict__ in, u32* __restrict__ out) { merge<true>(in, out); }

// A select drops what lies past the end.
KERNEL select_written(const u32* __restrict__ in, u32* __restrict__ out, int n) {
    __shared__ u32 tile[THREADS + 4];
    int t = threadIdx.x;
    if (t < n) tile[t] = in[t];
    __syncthreads();
    u32 next = tile[t + 1];
    out[t] = (t + 1 < n ? next * 3 + 1 : 5) + in[t];
}
KERNEL select_unwritten(const u32* __restrict__ in, u32* __restrict__ out, int n) {
    __shared__ u32 tile[THREADS + 4];
    int t = threadIdx.x;
    if (t < n) tile[t] = in[t];
    __syncthreads();
    u32 next = tile[t + 1];  // unwritten
    out[t] = (t < n ? next * 3 + 1 : 5) + in[t];
}

// Lanes 0 to 19 shuffle among themselves.
KERNEL shuffle_inside(const u32* __restrict__ in, u32* __restrict__ out) {
    int t = threadIdx.x;
    if (t >= 20) return;
    u32 other = __shfl_down_sync(0xfffff, in[t], 4);
    out[t] = t + 4 < 20 ? other * 7 : 1;
}
KERNEL shuffle_outside(const u32* __restrict__ in, u32* __restrict__ out) {
    int t = threadIdx.x;
    if (t >= 20) return;
    u32 other = __shfl_down_sync(0xfffff, in[t], 4);  // outside
    out[t] = t + 3 < 20 ? other * 7 : 1;
}
