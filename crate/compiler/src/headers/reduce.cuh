// Sums and the like of a tile's threads, as `cooperative_groups/reduce.h` has them.
namespace cooperative_groups {
template <typename T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <unsigned N, typename P, typename T, typename Op> __device__ inline T reduce(const thread_block_tile<N, P>& tile, T v, const Op& op)
{
    for (unsigned by = N / 2; by > 0; by /= 2)
        v = op(v, tile.shfl_xor(v, by));
    return v;
}
}
