// A transpose that takes the tiles in diagonal order.
//
// in: rows × columns, out: columns × rows, both row-major. Block 32×8; it covers a tile
// of 32×32 elements, four a thread. The grid has gridDim.x columns and gridDim.y rows of
// tiles; blocks start in the order of blockIdx.x.

extern "C" __global__ void diagonal(const float* __restrict__ in, float* __restrict__ out,
                                    unsigned rows, unsigned columns)
{
    __shared__ float tile[32][32 + 1];

//@ starter
    // TODO Two blocks that are neighbours in blockIdx.x take two tiles of one row. Choose the
    // tile so that they are two or more rows apart and in different columns, and every tile
    // is taken once.
    const unsigned tile_column = blockIdx.x;
    const unsigned tile_row    = blockIdx.y;
//@ solution
    // A block stays in its column of tiles. Within a column the rows are turned round by
    // twice the column's number, so that each is taken once, on a grid of any shape.
    const unsigned tile_column = blockIdx.x;
    const unsigned tile_row    = (2 * blockIdx.x + blockIdx.y) % gridDim.y;
//@ backwards
    const unsigned tile_column = gridDim.x - 1 - blockIdx.x;
    const unsigned tile_row    = (2 * blockIdx.x + blockIdx.y) % gridDim.y;
//@ upwards
    const unsigned tile_column = blockIdx.x;
    const unsigned tile_row    = (2 * (gridDim.x - blockIdx.x) + blockIdx.y) % gridDim.y;
//@ one_on
    const unsigned tile_column = blockIdx.x;
    const unsigned tile_row    = (blockIdx.x + blockIdx.y) % gridDim.y;
//@ squares_only
    const unsigned tile_row    = blockIdx.x;
    const unsigned tile_column = (2 * blockIdx.x + blockIdx.y) % gridDim.x;
//@ wrong_remainder
    const unsigned tile_column = blockIdx.x;
    const unsigned tile_row    = (2 * blockIdx.x + blockIdx.y) % gridDim.x;
//@ turned_columns
    const unsigned tile_column = (blockIdx.x + 2 * blockIdx.y) % gridDim.x;
    const unsigned tile_row    = blockIdx.y;
//@ end

    // Read the tile as it lies in `in`: a warp reads 32 elements of one row.
    const size_t column = size_t(tile_column) * 32 + threadIdx.x;
    const size_t row    = size_t(tile_row) * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (row + j < rows && column < columns)
            tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * columns + column];

    __syncthreads();

    // Write it as it lies in `out`: a warp writes 32 elements of one row, which are a
    // column of the tile.
//@ starter
    const size_t out_column = size_t(tile_row) * 32 + threadIdx.x;
    const size_t out_row    = size_t(tile_column) * 32 + threadIdx.y;
//@ solution
    const size_t out_column = size_t(tile_row) * 32 + threadIdx.x;
    const size_t out_row    = size_t(tile_column) * 32 + threadIdx.y;
//@ reads_only
    const size_t out_column = size_t(blockIdx.y) * 32 + threadIdx.x;
    const size_t out_row    = size_t(blockIdx.x) * 32 + threadIdx.y;
//@ end
    for (unsigned j = 0; j < 32; j += 8)
        if (out_row + j < columns && out_column < rows)
            out[(out_row + j) * rows + out_column] = tile[threadIdx.x][threadIdx.y + j];
}
