// Sums and the like of the threads up to each, as `cooperative_groups/scan.h` has them.
namespace cooperative_groups {
template <typename G, typename T, typename Op> __device__ inline T inclusive_scan(const G& group, T v, const Op& op) { return __scanned(group, v, op); }
template <typename G, typename T> __device__ inline T inclusive_scan(const G& group, T v) { return __scanned(group, v, plus<T>()); }
template <typename G, typename T, typename Op> __device__ inline T exclusive_scan(const G& group, T v, const Op& op)
{
    const T found = group.shfl_up(__scanned(group, v, op), 1);
    return group.thread_rank() == 0 ? T() : found;
}
template <typename G, typename T> __device__ inline T exclusive_scan(const G& group, T v) { return exclusive_scan(group, v, plus<T>()); }
}
