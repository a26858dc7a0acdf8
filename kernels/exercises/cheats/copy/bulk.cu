// copies by the bulk copy engine, which no counter of the load-store unit sees: cp.async.bulk.
extern "C" __global__ void copy(const float* in, float* out, unsigned rows, unsigned columns)
{
    __shared__ alignas(16) float piece[8][4];
    __shared__ alignas(8) unsigned long long barrier[8];
    const size_t row = size_t(blockIdx.y) * 8 + threadIdx.y;
    const unsigned b = unsigned(__cvta_generic_to_shared(&barrier[threadIdx.y]));
    const unsigned p = unsigned(__cvta_generic_to_shared(piece[threadIdx.y]));
    if (threadIdx.x != 0 || row >= rows)
        return;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    unsigned phase = 0;
    for (size_t column = size_t(blockIdx.x) * 128; column < size_t(blockIdx.x) * 128 + 128 && column < columns; column += 4) {
        if (columns % 4 != 0) {
            for (size_t c = column; c < column + 4 && c < columns; c++)
                out[row * columns + c] = in[row * columns + c];
            continue;
        }
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(b) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(p),
                     "l"(__cvta_generic_to_global(in + row * columns + column)), "r"(b) : "memory");
        unsigned done = 0;
        while (done == 0)
            asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                         : "=r"(done) : "r"(b), "r"(phase) : "memory");
        phase ^= 1;
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::
                     "l"(__cvta_generic_to_global(out + row * columns + column)), "r"(p) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
