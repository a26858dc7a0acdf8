// Each lane reads an element that is `stride` elements after its neighbour's.
// ANSWER stride_2: 8
//@ starter
// ANSWER stride_8: ?
//@ solution
// ANSWER stride_8: 32
//@ bytes
// ANSWER stride_8: 128
//@ lanes
// ANSWER stride_8: 16
//@ words
// ANSWER stride_8: many
//@ end

template <unsigned STRIDE> __device__ void read(const float* in, float* out, unsigned rows, unsigned columns)
{
    const unsigned thread = blockIdx.x * 32 + threadIdx.x;
    if (thread * STRIDE < rows * columns)
        out[thread] = in[thread * STRIDE];
}

extern "C" __global__ void stride_2(const float* in, float* out, unsigned rows, unsigned columns)
{
    read<2>(in, out, rows, columns);
}

extern "C" __global__ void stride_8(const float* in, float* out, unsigned rows, unsigned columns)
{
    read<8>(in, out, rows, columns);
}
