// turns the tile going in by asynchronous stores, all of a column in few banks, and reads it along its rows.
extern "C" __global__ void padding(const float* __restrict__ in, float* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    __shared__ float tile[32][36];
    __shared__ __align__(8) unsigned long long arrived;
    const unsigned barrier = __cvta_generic_to_shared(&arrived);
    const size_t first_row = size_t(blockIdx.y) * 32, first_column = size_t(blockIdx.x) * 32;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        const unsigned high = rows - first_row < 32 ? unsigned(rows - first_row) : 32;
        const unsigned wide = columns - first_column < 32 ? unsigned(columns - first_column) : 32;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(4 * high * wide) : "memory");
    }
    __syncthreads();
    const size_t column = first_column + threadIdx.x, row = first_row + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns) {
            const unsigned to = __cvta_generic_to_shared(&tile[threadIdx.x][threadIdx.y + j]);
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                         :: "r"(to), "r"(__float_as_uint(in[(row + j) * columns + column])), "r"(barrier) : "memory");
        }
    asm volatile("{ .reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
                 "@!done bra again; }" :: "r"(barrier) : "memory");
    const size_t out_column = first_row + threadIdx.x, out_row = first_column + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.y + j][threadIdx.x];
}
