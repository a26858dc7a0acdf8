// Nothing, in the order of programmatic dependent launches: the next kernel may begin at once, and this one ends after the one
// before it.

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

extern "C" __global__ void empty_dependent(const unsigned* __restrict__, unsigned)
{
    let_next_begin();
    wait_for_previous();
}
