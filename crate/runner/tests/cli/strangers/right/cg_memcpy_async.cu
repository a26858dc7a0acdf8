// launch: --grid 1 --block 64 --arg i32[256]=iota --arg i32[64]=zero
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void stage(const int* in, int* out) {
    __shared__ alignas(16) int s[64];
    auto b = cg::this_thread_block();
    int acc = 0;
    for (int k = 0; k < 4; ++k) {
        cg::memcpy_async(b, s, in + k * 64, sizeof(s));
        cg::wait(b);
        acc += s[63 - b.thread_rank()];
        b.sync();
    }
    out[b.thread_rank()] = acc;
}
