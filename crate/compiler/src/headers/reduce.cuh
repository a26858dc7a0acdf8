// Sums and the like of a tile's threads, as `cooperative_groups/reduce.h` has them.
namespace cooperative_groups {
template <typename T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
// What the lanes of a group give up to each: a step adds what so many ranks below had.
template <typename G, typename T, typename Op> __device__ inline T __scanned(const G& group, T v, const Op& op)
{
    for (unsigned by = 1; by < group.size(); by *= 2) {
        const T below = group.shfl_up(v, by);
        if (by <= group.thread_rank())
            v = op(v, below);
    }
    return v;
}
template <unsigned N, typename P, typename T, typename Op> __device__ inline T reduce(const thread_block_tile<N, P>& tile, T v, const Op& op)
{
    for (unsigned by = N / 2; by > 0; by /= 2)
        v = op(v, tile.shfl_xor(v, by));
    return v;
}
template <typename T, typename Op> __device__ inline T reduce(const coalesced_group& group, T v, const Op& op)
{
    if (group.size() == 32)
        return reduce(thread_block_tile<32, thread_block>(), v, op);
    return group.shfl(__scanned(group, v, op), group.size() - 1);
}
}
