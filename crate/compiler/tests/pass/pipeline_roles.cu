// Threads that fill stages, and others that empty them.
//# arch compute_80
//# block 64 1
#include <cooperative_groups.h>
#include <cuda/pipeline>
extern "C" __global__ void test(float* out, const float* in, unsigned items)
{
    auto block = cooperative_groups::this_thread_block();
    __shared__ alignas(16) float buf[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cuda::pipeline_role role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        for (int b = 0; b < 4; b++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buf[b & 1][threadIdx.x * 2], &in[b * 64 + threadIdx.x * 2], sizeof(float2), pipe);
            pipe.producer_commit();
        }
    } else {
        float sum = 0;
        for (int b = 0; b < 4; b++) {
            pipe.consumer_wait();
            sum += buf[b & 1][threadIdx.x - 32] + buf[b & 1][95 - threadIdx.x];
            pipe.consumer_release();
        }
        out[threadIdx.x] = sum;
    }
    pipe.quit();
}
