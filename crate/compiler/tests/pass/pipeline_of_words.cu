// The same without copies that run alone.
#include <cuda/pipeline>
#include <cooperative_groups.h>
extern "C" __global__ void test(const float* x, float* y, unsigned items)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) float s[2][32];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[0], x, sizeof(float) * 32, pipe);
    pipe.producer_commit();
    for (int k = 1; k < 5; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[k % 2], x + 32 * k, sizeof(float) * 32, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += s[(k - 1) % 2][31 - threadIdx.x];
        pipe.consumer_release();
    }
    pipe.consumer_wait();
    sum += s[0][31 - threadIdx.x];
    pipe.consumer_release();
    y[threadIdx.x] = sum;
}
