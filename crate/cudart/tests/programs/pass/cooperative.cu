// prints: 4096 elements in turn: 1
// prints: tiles of 4 add to 6 22 38 54
#include <cooperative_groups.h>
#include <cstdio>

namespace groups = cooperative_groups;

// Each round, every block reads what its neighbour wrote in the round before.
__global__ void rounds(int *a, int *b, int n) {
    groups::grid_group grid = groups::this_grid();
    for (int round = 0; round < 3; round++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[(i + 256) % n] + 1;
        grid.sync();
        int *other = a;
        a = b;
        b = other;
    }
}

__global__ void tiles(int *sums) {
    auto tile = groups::tiled_partition<4>(groups::this_thread_block());
    int value = threadIdx.x;
    for (int distance = 2; distance > 0; distance /= 2) value += tile.shfl_down(value, distance);
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
}

int main() {
    int n = 4096;
    int *a, *b, *sums;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMalloc(&sums, 4 * sizeof(int));
    cudaMemset(a, 0, n * sizeof(int));
    void *arguments[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((void *)rounds, dim3(8), dim3(256), arguments, 0, 0);
    static int host[4096];
    cudaMemcpy(host, b, n * sizeof(int), cudaMemcpyDeviceToHost);
    int right = 1;
    for (int i = 0; i < n; i++) right &= host[i] == 3;
    printf("%d elements in turn: %d\n", n, right);
    tiles<<<1, 16>>>(sums);
    cudaMemcpy(host, sums, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("tiles of 4 add to %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(sums);
    return 0;
}
