// The same reads of 4 bytes from the shared memory of the next block of a cluster, the last one's from the first's.
template <unsigned BLOCKS>
__device__ void read_next(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items, unsigned stride)
{
    __shared__ unsigned elements[1024 + 512];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 1024 + 512; i += 256)
        elements[i] = in[i];
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned sum = i;
#pragma unroll 1
    for (unsigned round = 0; round < 16; ++round) {
        unsigned from = (unsigned)__cvta_generic_to_shared(&elements[(threadIdx.x * stride + round) % 1024]);
        asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(from) : "r"((blockIdx.x + 1) % BLOCKS));
#pragma unroll
        for (unsigned k = 0; k < 16; ++k) {
            unsigned element;
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(element) : "r"(from + k * 128));
            sum += element;
        }
    }
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (i < items)
        out[i] = sum;
}

extern "C" __global__ void __cluster_dims__(2)
shared_reads_cluster_2(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items, unsigned stride)
{
    read_next<2>(in, out, items, stride);
}

extern "C" __global__ void __cluster_dims__(8)
shared_reads_cluster_8(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items, unsigned stride)
{
    read_next<8>(in, out, items, stride);
}
