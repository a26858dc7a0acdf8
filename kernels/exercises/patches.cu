// A transpose in patches of 4×4 elements, each turned in the registers of one thread.
//
// in: rows × columns, out: columns × rows, both row-major, rows and columns multiples
// of 4, as pieces of 16 bytes. Block 8×8; it covers a tile of 32×32 elements, 16 a thread.
// A warp is four rows of the block.

extern "C" __global__ void patches(const float4* __restrict__ in, float4* __restrict__ out,
                                   unsigned rows, unsigned columns)
{
    const size_t pitch     = columns / 4; // pieces in a row of `in`
    const size_t out_pitch = rows / 4;    // pieces in a row of `out`

//@ starter
    __shared__ float4 tile[32][8];

    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;

    // Piece x of four rows: a patch.
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * y;
    if (row < rows && piece < pitch) {
        const float4 a = in[row * pitch + piece];
        const float4 b = in[(row + 1) * pitch + piece];
        const float4 c = in[(row + 2) * pitch + piece];
        const float4 d = in[(row + 3) * pitch + piece];

        // TODO Everything goes through the tile once: 1 wavefront in and 1 out for every 32
        // elements. Each of the four pieces is 16 bytes of a row of `out`. Do without the tile.
        tile[4 * x][y ^ x]     = make_float4(a.x, b.x, c.x, d.x);
        tile[4 * x + 1][y ^ x] = make_float4(a.y, b.y, c.y, d.y);
        tile[4 * x + 2][y ^ x] = make_float4(a.z, b.z, c.z, d.z);
        tile[4 * x + 3][y ^ x] = make_float4(a.w, b.w, c.w, d.w);
    }

    __syncthreads();

    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    const size_t out_row   = size_t(blockIdx.x) * 32 + 4 * y;
    if (out_row < columns && out_piece < out_pitch)
        for (unsigned j = 0; j < 4; j++)
            out[(out_row + j) * out_pitch + out_piece] = tile[4 * y + j][x ^ y];
//@ solution
    // Lanes grow down the rows of `in`: eight lanes write 128 bytes of a row of `out`, and
    // four read 64 bytes of a row of `in`. Both are whole sectors.
    const unsigned x = threadIdx.y;
    const unsigned y = threadIdx.x;

    const size_t piece = size_t(blockIdx.x) * 8 + x;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * y;
    if (row < rows && piece < pitch) {
        const float4 a = in[row * pitch + piece];
        const float4 b = in[(row + 1) * pitch + piece];
        const float4 c = in[(row + 2) * pitch + piece];
        const float4 d = in[(row + 3) * pitch + piece];

        // A column of the patch is a piece of a row of `out`.
        float4* to = out + 4 * piece * out_pitch + row / 4;
        to[0]             = make_float4(a.x, b.x, c.x, d.x);
        to[out_pitch]     = make_float4(a.y, b.y, c.y, d.y);
        to[2 * out_pitch] = make_float4(a.z, b.z, c.z, d.z);
        to[3 * out_pitch] = make_float4(a.w, b.w, c.w, d.w);
    }
//@ wide_reads
    // Eight lanes read 128 bytes of a row of `in`, four write 64 bytes of a row of `out`.
    const size_t piece = size_t(blockIdx.x) * 8 + threadIdx.x;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * threadIdx.y;
    if (row < rows && piece < pitch) {
        const float4 a = in[row * pitch + piece];
        const float4 b = in[(row + 1) * pitch + piece];
        const float4 c = in[(row + 2) * pitch + piece];
        const float4 d = in[(row + 3) * pitch + piece];
        out[4 * piece * out_pitch + row / 4]       = make_float4(a.x, b.x, c.x, d.x);
        out[(4 * piece + 1) * out_pitch + row / 4] = make_float4(a.y, b.y, c.y, d.y);
        out[(4 * piece + 2) * out_pitch + row / 4] = make_float4(a.z, b.z, c.z, d.z);
        out[(4 * piece + 3) * out_pitch + row / 4] = make_float4(a.w, b.w, c.w, d.w);
    }
//@ shuffles
    // Patches of 1×4, turned among four lanes by shuffles: lane l of a group of four has row l.
    const unsigned t = threadIdx.y * 8 + threadIdx.x;
    const unsigned l = t % 4;
    for (unsigned n = 0; n < 4; n++) {
        const unsigned group = t / 4 + 16 * n;
        const unsigned down = group / 2 % 8, across = group % 2 + group / 16 * 2; // two groups side by side: whole sectors
        const size_t piece = size_t(blockIdx.x) * 8 + across;
        const size_t row   = size_t(blockIdx.y) * 32 + 4 * down + l;
        const bool inside  = row < rows && piece < pitch;
        float4 mine = inside ? in[row * pitch + piece] : make_float4(0, 0, 0, 0);
        float part[4] = {mine.x, mine.y, mine.z, mine.w};
        float turned[4];
#pragma unroll
        for (unsigned s = 0; s < 4; s++) {
            // In step s lanes l and l ^ s exchange: mine for the other is part[l ^ s].
            const unsigned other = l ^ s;
            const float give = other == 0 ? part[0] : other == 1 ? part[1] : other == 2 ? part[2] : part[3];
            const float got  = __shfl_xor_sync(0xffffffff, give, s);
#pragma unroll
            for (unsigned i = 0; i < 4; i++)
                if (other == i)
                    turned[i] = got;
        }
        if (inside)
            out[(4 * piece + l) * out_pitch + row / 4] = make_float4(turned[0], turned[1], turned[2], turned[3]);
    }
//@ half_sectors
    // A warp takes every second row of patches: each lane writes half a sector.
    const unsigned y = threadIdx.y % 4 * 2 + threadIdx.y / 4;
    const size_t piece = size_t(blockIdx.x) * 8 + threadIdx.x;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * y;
    if (row < rows && piece < pitch) {
        const float4 a = in[row * pitch + piece];
        const float4 b = in[(row + 1) * pitch + piece];
        const float4 c = in[(row + 2) * pitch + piece];
        const float4 d = in[(row + 3) * pitch + piece];
        float4* to = out + 4 * piece * out_pitch + row / 4;
        to[0]             = make_float4(a.x, b.x, c.x, d.x);
        to[out_pitch]     = make_float4(a.y, b.y, c.y, d.y);
        to[2 * out_pitch] = make_float4(a.z, b.z, c.z, d.z);
        to[3 * out_pitch] = make_float4(a.w, b.w, c.w, d.w);
    }
//@ words
    // Turns nothing in registers: sixteen stores of 4 bytes.
    const size_t piece = size_t(blockIdx.x) * 8 + threadIdx.x;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * threadIdx.y;
    if (row < rows && piece < pitch)
        for (unsigned j = 0; j < 4; j++) {
            const float4 four = in[(row + j) * pitch + piece];
            float* to = reinterpret_cast<float*>(out) + 4 * piece * rows + row + j;
            to[0] = four.x, to[rows] = four.y, to[2 * size_t(rows)] = four.z, to[3 * size_t(rows)] = four.w;
        }
//@ not_turned
    const size_t piece = size_t(blockIdx.x) * 8 + threadIdx.y;
    const size_t row   = size_t(blockIdx.y) * 32 + 4 * threadIdx.x;
    if (row < rows && piece < pitch)
        for (unsigned j = 0; j < 4; j++)
            out[(4 * piece + j) * out_pitch + row / 4] = in[(row + j) * pitch + piece];
//@ padded_words
    // Words through a padded tile.
    __shared__ float tile[32][32 + 1];
    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;
    const size_t piece = size_t(blockIdx.x) * 8 + x;
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t row = size_t(blockIdx.y) * 32 + y + j;
        if (row < rows && piece < pitch) {
            const float4 four = in[row * pitch + piece];
            tile[y + j][4 * x] = four.x, tile[y + j][4 * x + 1] = four.y;
            tile[y + j][4 * x + 2] = four.z, tile[y + j][4 * x + 3] = four.w;
        }
    }
    __syncthreads();
    const size_t out_piece = size_t(blockIdx.y) * 8 + x;
    for (unsigned j = 0; j < 32; j += 8) {
        const size_t out_row = size_t(blockIdx.x) * 32 + y + j;
        if (out_row < columns && out_piece < out_pitch)
            out[out_row * out_pitch + out_piece] =
                make_float4(tile[4 * x][y + j], tile[4 * x + 1][y + j], tile[4 * x + 2][y + j], tile[4 * x + 3][y + j]);
    }
//@ end
}
