// launch: --grid 4 --block 32 --cooperative --arg f32[256]=random:1 --arg i32=3
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void gaussSeidel(float* x, int sweeps) {
    auto g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 256;
    for (int s = 0; s < sweeps; ++s)
        for (int colour = 0; colour < 2; ++colour) {
            int k = 2 * i + colour;
            if (k > 0 && k < n - 1) x[k] = 0.5f * (x[k - 1] + x[k + 1]);
            g.sync();
        }
}
