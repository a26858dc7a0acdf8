// Each pixel of a turned picture is the one where it comes from, black beyond the edge. Angles are in 1/65536.
extern "C" __global__ void rotated_global(const float* __restrict__ from, float* __restrict__ to,
                                          int width, int height, int cosine, int sine)
{
    const int tiles_x = (width + 15) / 16, tiles = tiles_x * ((height + 15) / 16);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int x = tile % tiles_x * 16 + threadIdx.x % 16;
        const int y = tile / tiles_x * 16 + threadIdx.x / 16;
        const int dx = x - width / 2, dy = y - height / 2;
        const int u = ((cosine * dx - sine * dy + 32768) >> 16) + width / 2;
        const int v = ((sine * dx + cosine * dy + 32768) >> 16) + height / 2;
        const bool is_inside = u >= 0 && u < width && v >= 0 && v < height;
        if (x < width && y < height)
            to[y * width + x] = is_inside ? from[v * width + u] : 0.0f;
    }
}
