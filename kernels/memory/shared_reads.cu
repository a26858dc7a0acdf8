// Nothing but reads of shared memory: each thread adds up 256 elements of 4, 8 or 16 bytes, and neighbouring lanes read
// `stride` elements apart. What is read is the same for all blocks.
__device__ unsigned all_of(unsigned one) { return one; }
__device__ unsigned all_of(uint2 two) { return two.x + two.y; }
__device__ unsigned all_of(uint4 four) { return four.x + four.y + four.z + four.w; }

template <typename T>
__device__ void read_all(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items, unsigned stride)
{
    __shared__ T elements[1024 + 512];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 1024 + 512; i += 256)
        elements[i] = reinterpret_cast<const T*>(in)[i];
    __syncthreads();
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned sum = i;
#pragma unroll 1
    for (unsigned round = 0; round < 16; ++round) {
        const T* from = &elements[(threadIdx.x * stride + round) % 1024];
#pragma unroll
        for (unsigned k = 0; k < 16; ++k)
            sum += all_of(from[k * 32]);
    }
    if (i < items)
        out[i] = sum;
}

extern "C" __global__ void shared_reads_4(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items,
                                          unsigned stride)
{
    read_all<unsigned>(in, out, items, stride);
}

extern "C" __global__ void shared_reads_8(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items,
                                          unsigned stride)
{
    read_all<uint2>(in, out, items, stride);
}

extern "C" __global__ void shared_reads_16(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned items,
                                           unsigned stride)
{
    read_all<uint4>(in, out, items, stride);
}
