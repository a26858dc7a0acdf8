// A producer and its consumer. The consumer has something to do before it needs what the producer writes: each block brings a
// table into shared memory. Only then does it wait. What the producer writes while the consumer runs must not be read by
// ld.global.nc: no `__restrict__` there.

// cudaTriggerProgrammaticLaunchCompletion()
__device__ void let_next_begin()
{
    asm volatile("griddepcontrol.launch_dependents;");
}

// cudaGridDependencySynchronize()
__device__ void wait_for_previous()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

extern "C" __global__ void produce(const float* x, float* y, unsigned items)
{
    let_next_begin();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    wait_for_previous();
    if (i < items)
        y[i] = x[i] * 0.5f;
}

extern "C" __global__ void consume(const float* y, const float* __restrict__ table, float* z,
                                   unsigned items)
{
    __shared__ float factors[1024];
    let_next_begin();
#pragma unroll
    for (unsigned k = 0; k < 1024; k += 256)
        factors[k + threadIdx.x] = table[k + threadIdx.x];
    __syncthreads();
    wait_for_previous();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < items)
        z[i] = y[i] * factors[i % 1024];
}
