// The three steps for programmatic dependent launches: the blocks of the next one may come as soon as there is room, and none
// of them reads before the kernel before it has ended. No pointer is `__restrict__`: what a kernel reads through such a one must
// not change while it runs (ld.global.nc), and here the kernel before it writes it in that time.

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

extern "C" __global__ void scale_dependent(const float* x, float* y, unsigned items)
{
    let_next_begin();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    wait_for_previous();
    if (i < items)
        y[i] = x[i] * 0.5f;
}

extern "C" __global__ void offset_dependent(const float* x, float* y, unsigned items)
{
    let_next_begin();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    wait_for_previous();
    if (i < items)
        y[i] = x[i] + 0.25f;
}

extern "C" __global__ void clamp_dependent(const float* x, float* y, unsigned items)
{
    let_next_begin();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    wait_for_previous();
    if (i < items)
        y[i] = fminf(fmaxf(x[i], -200000.0f), 200000.0f);
}
