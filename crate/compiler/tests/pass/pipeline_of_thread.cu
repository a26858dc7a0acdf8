// A thread's own pipeline.
//# arch compute_80
#include <cuda/pipeline>
extern "C" __global__ void test(float* out, const float* in, unsigned items)
{
    constexpr int stages = 3;
    __shared__ float4 buf[stages][32];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto shape = cuda::aligned_size_t<alignof(float4)>(sizeof(float4));
    for (int s = 0; s < stages - 1; s++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&buf[s][threadIdx.x], (const float4*)in + s * 32 + threadIdx.x, shape, pipe);
        pipe.producer_commit();
    }
    float sum = 0;
    for (int k = 0; k < 6; k++) {
        cuda::pipeline_consumer_wait_prior<stages - 2>(pipe);
        __syncthreads();
        const float4 v = buf[k % stages][threadIdx.x];
        sum += v.x + v.y * v.z + v.w;
        pipe.consumer_release();
        pipe.producer_acquire();
        if (k + stages - 1 < 6)
            cuda::memcpy_async(&buf[(k + stages - 1) % stages][threadIdx.x], (const float4*)in + (k + stages - 1) * 32 + threadIdx.x, shape, pipe);
        pipe.producer_commit();
    }
    out[threadIdx.x] = sum;
}
