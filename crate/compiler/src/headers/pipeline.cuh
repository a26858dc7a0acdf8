// Copies into shared memory that run while the thread goes on. They are of compute_80.
__device__ inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to), taken = (unsigned)(size - zeros);
    const unsigned long where = __cvta_generic_to_global(from);
    if (size == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(at), "l"(where), "r"(taken) : "memory");
    else if (size == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(at), "l"(where), "r"(taken) : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(at), "l"(where), "r"(taken) : "memory");
}
__device__ inline void __pipeline_wait_prior(size_t left)
{
    if (left == 0)
        asm volatile("cp.async.wait_group 0;" : : : "memory");
    else if (left == 1)
        asm volatile("cp.async.wait_group 1;" : : : "memory");
    else if (left == 2)
        asm volatile("cp.async.wait_group 2;" : : : "memory");
    else if (left == 3)
        asm volatile("cp.async.wait_group 3;" : : : "memory");
    else if (left == 4)
        asm volatile("cp.async.wait_group 4;" : : : "memory");
    else if (left == 5)
        asm volatile("cp.async.wait_group 5;" : : : "memory");
    else if (left == 6)
        asm volatile("cp.async.wait_group 6;" : : : "memory");
    else
        asm volatile("cp.async.wait_group 7;" : : : "memory");
}
