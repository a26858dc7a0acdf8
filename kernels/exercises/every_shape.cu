// A transpose with 16 bytes a thread where the shape allows it, right for every shape.
//
// in: rows × columns, out: columns × rows, both row-major, of any shape. Block 8×32; it
// covers a tile of 32×32 elements: thread (x, y) has columns 4x to 4x + 3 of row y.
//
// load4 and store4 move 16 bytes in one request, if the address is a multiple of 16. A cast
// of your own may not: the compiler can tear *reinterpret_cast<float4*>(p) = … into four.

__device__ float4 load4(const float* from)
{
    float4 four;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "l"(__cvta_generic_to_global(from)));
    return four;
}

__device__ void store4(float* to, float4 four)
{
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                 "f"(four.x), "f"(four.y), "f"(four.z), "f"(four.w)
                 : "memory");
}

extern "C" __global__ void every_shape(const float* __restrict__ in, float* __restrict__ out,
                                       unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32 + 1];

    const unsigned x = threadIdx.x;
    const unsigned y = threadIdx.y;

    const size_t column = size_t(blockIdx.x) * 32 + 4 * x;
    const size_t row    = size_t(blockIdx.y) * 32 + y;
//@ starter
    // TODO If `columns` is no multiple of 4, most rows do not begin at a multiple of 16 bytes,
    // and the last piece of a row is not whole. Take single elements then.
    if (row < rows && column < columns) {
        const float4 four = load4(in + row * columns + column);
        tile[y][4 * x]     = four.x;
        tile[y][4 * x + 1] = four.y;
        tile[y][4 * x + 2] = four.z;
        tile[y][4 * x + 3] = four.w;
    }
//@ solution
    if (columns % 4 == 0) {
        if (row < rows && column < columns) {
            const float4 four = load4(in + row * columns + column);
            tile[y][4 * x]     = four.x;
            tile[y][4 * x + 1] = four.y;
            tile[y][4 * x + 2] = four.z;
            tile[y][4 * x + 3] = four.w;
        }
    } else {
        // Lanes of a step side by side: thread (x, y) takes columns x, x + 8, x + 16, x + 24.
        const size_t first = size_t(blockIdx.x) * 32 + x;
        for (unsigned i = 0; i < 32; i += 8)
            if (row < rows && first + i < columns)
                tile[y][x + i] = in[row * columns + first + i];
    }
//@ own_four
    // A thread keeps its own four columns in either case.
    if (row < rows && column < columns) {
        const float* from = in + row * columns + column;
        if (columns % 4 == 0) {
            const float4 four = load4(in + row * columns + column);
            tile[y][4 * x] = four.x, tile[y][4 * x + 1] = four.y, tile[y][4 * x + 2] = four.z, tile[y][4 * x + 3] = four.w;
        } else {
            for (unsigned i = 0; i < 4 && column + i < columns; i++)
                tile[y][4 * x + i] = from[i];
        }
    }
//@ by_address
    // Row by row: 16 bytes where this address allows them.
    if (row < rows && column < columns) {
        const float* from = in + row * columns + column;
        if (reinterpret_cast<size_t>(from) % 16 == 0 && column + 4 <= columns) {
            const float4 four = load4(in + row * columns + column);
            tile[y][4 * x] = four.x, tile[y][4 * x + 1] = four.y, tile[y][4 * x + 2] = four.z, tile[y][4 * x + 3] = four.w;
        } else {
            for (unsigned i = 0; i < 4 && column + i < columns; i++)
                tile[y][4 * x + i] = from[i];
        }
    }
//@ whole_pieces
    // As many whole pieces as fit into a row, and the rest of it forgotten.
    if (row < rows && column + 4 <= columns / 4 * 4)
        for (unsigned i = 0; i < 4; i++)
            tile[y][4 * x + i] = in[row * columns + column + i];
//@ by_elements
    // Asks whether the number of elements is a multiple of 4.
    if (size_t(rows) * columns % 4 == 0) {
        if (row < rows && column < columns) {
            const float4 four = load4(in + row * columns + column);
            tile[y][4 * x] = four.x, tile[y][4 * x + 1] = four.y, tile[y][4 * x + 2] = four.z, tile[y][4 * x + 3] = four.w;
        }
    } else {
        for (unsigned i = 0; i < 4; i++)
            if (row < rows && column + i < columns)
                tile[y][4 * x + i] = in[row * columns + column + i];
    }
//@ always_words
    const size_t first = size_t(blockIdx.x) * 32 + x;
    for (unsigned i = 0; i < 32; i += 8)
        if (row < rows && first + i < columns)
            tile[y][x + i] = in[row * columns + first + i];
//@ end

    __syncthreads();

    // Four neighbours in a row of `out` stand below one another in the tile.
    const size_t out_column = size_t(blockIdx.y) * 32 + 4 * x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + y;
//@ starter
    // TODO The same question for the rows of `out`. Which of the two sizes decides here?
    if (out_row < columns && out_column < rows)
        store4(out + out_row * rows + out_column,
                   make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]));
//@ solution
    if (rows % 4 == 0) {
        if (out_row < columns && out_column < rows)
            store4(out + out_row * rows + out_column,
                   make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]));
    } else {
        const size_t out_first = size_t(blockIdx.y) * 32 + x;
        for (unsigned i = 0; i < 32; i += 8)
            if (out_row < columns && out_first + i < rows)
                out[out_row * rows + out_first + i] = tile[x + i][y];
    }
//@ own_four
    if (out_row < columns && out_column < rows) {
        float* to = out + out_row * rows + out_column;
        if (rows % 4 == 0)
            store4(out + out_row * rows + out_column,
                   make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]));
        else
            for (unsigned i = 0; i < 4 && out_column + i < rows; i++)
                to[i] = tile[4 * x + i][y];
    }
//@ by_address
    if (out_row < columns && out_column < rows) {
        float* to = out + out_row * rows + out_column;
        if (reinterpret_cast<size_t>(to) % 16 == 0 && out_column + 4 <= rows)
            store4(out + out_row * rows + out_column,
                   make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]));
        else
            for (unsigned i = 0; i < 4 && out_column + i < rows; i++)
                to[i] = tile[4 * x + i][y];
    }
//@ torn
    if (rows % 4 == 0) {
        if (out_row < columns && out_column < rows)
            *reinterpret_cast<float4*>(out + out_row * rows + out_column) =
                make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]);
    } else {
        for (unsigned i = 0; i < 4; i++)
            if (out_row < columns && out_column + i < rows)
                out[out_row * rows + out_column + i] = tile[4 * x + i][y];
    }
//@ one_size
    // Decides both sides by `columns`.
    if (columns % 4 == 0) {
        if (out_row < columns && out_column < rows)
            store4(out + out_row * rows + out_column,
                   make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]));
    } else {
        for (unsigned i = 0; i < 4; i++)
            if (out_row < columns && out_column + i < rows)
                out[out_row * rows + out_column + i] = tile[4 * x + i][y];
    }
//@ whole_pieces
    if (out_row < columns && out_column + 4 <= rows / 4 * 4)
        for (unsigned i = 0; i < 4; i++)
            out[out_row * rows + out_column + i] = tile[4 * x + i][y];
//@ by_elements
    if (size_t(rows) * columns % 4 == 0) {
        if (out_row < columns && out_column < rows)
            store4(out + out_row * rows + out_column,
                   make_float4(tile[4 * x][y], tile[4 * x + 1][y], tile[4 * x + 2][y], tile[4 * x + 3][y]));
    } else {
        for (unsigned i = 0; i < 4; i++)
            if (out_row < columns && out_column + i < rows)
                out[out_row * rows + out_column + i] = tile[4 * x + i][y];
    }
//@ always_words
    const size_t out_first = size_t(blockIdx.y) * 32 + x;
    for (unsigned i = 0; i < 32; i += 8)
        if (out_row < columns && out_first + i < rows)
            out[out_row * rows + out_first + i] = tile[x + i][y];
//@ end
}
