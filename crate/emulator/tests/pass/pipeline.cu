// Asynchronous copies of sm_80: groups, pipelines and barriers.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

// The barriers are initialised by `init`.
#pragma nv_diag_suppress static_var_with_dynamic_init

#define TILE 32

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Each block transposes a row of tiles; while one is written, the next is on its way.
extern "C" __global__ void transpose_double(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
    __shared__ float tile[2][TILE][TILE + 1];
    int tiles = (columns + TILE - 1) / TILE;
    int top = blockIdx.x * TILE;
    auto load = [&](int number, int buffer) {
        int column = number * TILE + threadIdx.x;
        for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
            int row = top + y;
            int bytes = row < rows && column < columns ? 4 : 0;
            const float* source = in + (bytes ? (size_t)row * columns + column : 0);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(&tile[buffer][y][threadIdx.x])), "l"(source), "r"(bytes) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    load(0, 0);
    for (int number = 0; number < tiles; ++number) {
        if (number + 1 < tiles) {
            load(number + 1, (number + 1) & 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        for (int y = threadIdx.y; y < TILE; y += blockDim.y) {
            int row = number * TILE + y, column = top + threadIdx.x;
            if (row < columns && column < rows) out[(size_t)row * rows + column] = tile[number & 1][threadIdx.x][y];
        }
        __syncthreads();
    }
}

// The same without waiting for what is read: a mistake.
extern "C" __global__ void forgets_to_wait(const float* __restrict__ in, unsigned* __restrict__ out) {
    __shared__ float tile[128];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[threadIdx.x])), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = __float_as_uint(tile[threadIdx.x]);
}

// Chunks of 16 bytes, the last one cut off; odd threads take nothing where `ignore` says so.
extern "C" __global__ void zero_filled(const char* __restrict__ in, char* __restrict__ out, int bytes, int ignore) {
    __shared__ __align__(16) char chunk[128][16];
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    int left = max(0, min(16, bytes - at));
    unsigned to = shared_address(chunk[threadIdx.x]);
    const char* from = in + (left ? at : 0);
    if (ignore) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; cp.async.cg.shared.global.L2::128B [%0], [%1], 16, p; }" ::"r"(to), "l"(from), "r"((threadIdx.x & 1) | (left < 16)) : "memory");
    } else {
        asm volatile("cp.async.cg.shared::cta.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(left) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    // The neighbour's chunk, backwards.
    int other = threadIdx.x ^ 1;
    for (int byte = 0; byte < 16; ++byte) out[at + byte] = chunk[other][15 - byte];
}

// libcu++'s pipeline of the block, two stages.
extern "C" __global__ void stages_of_block(const int* __restrict__ in, int* __restrict__ out, int batches) {
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    __shared__ int buffer[2][192];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(block, &state);
    int first = blockIdx.x * batches * blockDim.x;
    pipeline.producer_acquire();
    cuda::memcpy_async(block, buffer[0], in + first, sizeof(int) * blockDim.x, pipeline);
    pipeline.producer_commit();
    for (int batch = 1; batch <= batches; ++batch) {
        if (batch < batches) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[batch & 1], in + first + batch * blockDim.x, sizeof(int) * blockDim.x, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        int value = buffer[(batch - 1) & 1][blockDim.x - 1 - threadIdx.x];
        out[first + (batch - 1) * blockDim.x + threadIdx.x] = 3 * value + batch;
        pipeline.consumer_release();
    }
}

// Half of the warps produce, the other half consume: libcu++'s partitioned pipeline.
extern "C" __global__ void producers_and_consumers(const int* __restrict__ in, int* __restrict__ out, int batches) {
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    __shared__ int buffer[3][96];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    bool produces = threadIdx.x < 96;
    auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    if (produces) {
        for (int batch = 0; batch < batches; ++batch) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&buffer[batch % 3][threadIdx.x], in + (blockIdx.x * batches + batch) * 96 + threadIdx.x, sizeof(int), pipeline);
            pipeline.producer_commit();
        }
    } else {
        int me = threadIdx.x - 96;
        for (int batch = 0; batch < batches; ++batch) {
            pipeline.consumer_wait();
            out[(blockIdx.x * batches + batch) * 96 + me] = buffer[batch % 3][95 - me] - me;
            pipeline.consumer_release();
        }
    }
}

// A split barrier: arrive, do something else, wait.
extern "C" __global__ void split_barrier(int* __restrict__ out, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[160];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        values[threadIdx.x] = round * 1000 + threadIdx.x;
        auto token = barrier.arrive();
        sum += round;
        barrier.wait(std::move(token));
        sum += values[(threadIdx.x + 77) % blockDim.x];
        barrier.arrive_and_wait();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Threads leave one by one: those who drop out are not waited for.
extern "C" __global__ void dropping_out(int* __restrict__ out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int count;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        count = 0;
    }
    __syncthreads();
    int rounds = threadIdx.x / 32;
    for (int round = 0; round < rounds; ++round) {
        atomicAdd(&count, 1);
        barrier.arrive_and_wait();
    }
    barrier.arrive_and_drop();
    out[threadIdx.x] = rounds;
    if (threadIdx.x == blockDim.x - 1) out[blockDim.x] = count;
}

// The lanes of one warp play different parts: lane 0 fills, the others take.
extern "C" __global__ void lanes_of_a_warp(int* __restrict__ out, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    __shared__ volatile int slot;
    if (threadIdx.x == 0) {
        init(&full, 32);
        init(&empty, 32);
    }
    __syncwarp();
    int sum = 0;
    if (threadIdx.x == 0) {
        for (int round = 0; round < rounds; ++round) {
            slot = 7 * round + 1;
            full.arrive_and_wait();
            empty.arrive_and_wait();
        }
    } else {
        for (int round = 0; round < rounds; ++round) {
            full.arrive_and_wait();
            sum += slot * threadIdx.x;
            empty.arrive_and_wait();
        }
    }
    out[threadIdx.x] = sum;
}
