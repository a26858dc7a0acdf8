// Reductions, scans and histograms: barriers in loops, shuffles, votes, atomics.
extern "C" __global__ void sum_tree(const int* in, int* out, int n) {
    extern __shared__ int partial[];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

extern "C" __global__ void sum_shuffle(const float* in, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffff, sum, by);
    __shared__ float warps[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (blockDim.x + 31) / 32 ? warps[lane] : 0.0f;
        for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffff, sum, by);
        if (lane == 0) atomicAdd(out, sum);
    }
}

extern "C" __global__ void scan_block(const unsigned* in, unsigned* out, int n) {
    __shared__ unsigned a[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
    a[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int by = 1; by < 256; by *= 2) {
        a[1 - from][t] = t >= by ? a[from][t] + a[from][t - by] : a[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = a[from][t];
}

extern "C" __global__ void scan_warp(const int* in, int* out) {
    int lane = threadIdx.x & 31, v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int by = 1; by < 32; by *= 2) {
        int w = __shfl_up_sync(~0u, v, by);
        if (lane >= by) v += w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + 1000 * __shfl_sync(~0u, v, 5, 8);
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void atomics(int* a, unsigned* u, unsigned long long* l, const int* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMax(&a[0], in[i]);
    atomicMin(&a[1], in[i]);
    atomicOr(&u[0], 1u << (in[i] & 31));
    atomicAnd(&u[1], ~(1u << (in[i] & 15)));
    atomicXor(&u[2], (unsigned)in[i]);
    atomicInc(&u[3], 99u);
    atomicDec(&u[4], 49u);
    atomicAdd(&l[0], (unsigned long long)in[i] * in[i]);
    atomicMax(&l[1], (unsigned long long)(in[i] & 0xffff));
    // A counter that hands out places, and a lock that a loop takes.
    int place = atomicAdd(&a[2], 1);
    a[8 + place] = in[i];
    int old = a[3], seen;
    do { seen = old; old = atomicCAS(&a[3], seen, seen + (in[i] & 3)); } while (old != seen);
}

extern "C" __global__ void votes(const int* in, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned ballot = __ballot_sync(~0u, v & 1);
    unsigned any = __any_sync(~0u, v == 7), all = __all_sync(~0u, v > 0);
    unsigned same = __match_any_sync(~0u, v % 5);
    int uniform;
    unsigned matched = __match_all_sync(~0u, v / 1000, &uniform);
    unsigned active = 0;
    if (v & 1) active = __activemask();
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    out[i * 4] = ballot;
    out[i * 4 + 1] = any | all << 1 | uniform << 2 | (active == ballot || !(v & 1)) << 3;
    out[i * 4 + 2] = same;
    out[i * 4 + 3] = matched + __popc(ballot & below);
}

extern "C" __global__ void block_votes(const int* in, int* out) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    int all = __syncthreads_and(v > 3), any = __syncthreads_or(v == 11), count = __syncthreads_count(v & 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = all | any << 1 | count << 2;
}
