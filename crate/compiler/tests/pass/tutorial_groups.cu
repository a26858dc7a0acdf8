// A sum by cooperative groups: a group of any kind as a parameter.
//# block 128
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int reduce_sum(cg::thread_group g, int *temp, int val) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    temp[lane] = val;
    g.sync();
    if (lane < i) val += temp[lane + i];
    g.sync();
  }
  return val;
}
__device__ int thread_sum(int *input, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    int4 in = ((int4*)input)[i];
    sum += in.x + in.y + in.z + in.w;
  }
  return sum;
}
extern "C" __global__ void test(int *input, int *sum, int items) {
  __shared__ int temp[128];
  int my_sum = thread_sum(input, items);
  auto g = cg::this_thread_block();
  int block_sum = reduce_sum(g, temp, my_sum);
  auto tile = cg::tiled_partition<32>(g);
  int w = cg::reduce(tile, my_sum, cg::plus<int>());
  if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
  if (tile.thread_rank() == 0) atomicMax(sum + 1, w);
}
