// The same where the hardware copies blocks, and instructions by their names.
//# arch compute_90
#include <cuda/barrier>
#include <cuda/ptx>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;
static constexpr size_t buf_len = 64;
extern "C" __global__ void test(int* data, int* y, unsigned items)
{
    __shared__ alignas(16) int smem_data[buf_len];
    __shared__ barrier bar;
    __shared__ alignas(8) unsigned long long second;
    if (threadIdx.x == 0) { init(&bar, blockDim.x); ptx::mbarrier_init(&second, 1); ptx::fence_proxy_async(ptx::space_shared); }
    __syncthreads();
    size_t offset = blockIdx.x * buf_len;
    if (threadIdx.x == 0) cuda::memcpy_async(smem_data, data + offset, cuda::aligned_size_t<16>(sizeof(smem_data)), bar);
    barrier::arrival_token token = bar.arrive();
    bar.wait(cuda::std::move(token));
    for (int i = threadIdx.x; i < buf_len; i += blockDim.x) smem_data[i] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + offset, smem_data, sizeof(smem_data));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, smem_data, data + offset, 64, &second);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &second, 64);
    }
    while (!ptx::mbarrier_try_wait_parity(&second, 0)) { }
    __syncthreads();
    y[2000 + threadIdx.x] = smem_data[threadIdx.x];
    barrier& same = bar;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(smem_data, data + 100, cuda::aligned_size_t<16>(128), same);
        token = cuda::device::barrier_arrive_tx(same, 1, 128);
    } else token = bar.arrive();
    bar.wait(cuda::std::move(token));
    y[3000 + threadIdx.x] = smem_data[threadIdx.x];
}
