// The same by texture: the unit finds the pixel, and its border is the black beyond the edge.
extern "C" __global__ void rotated_texture(cudaTextureObject_t from, float* __restrict__ to,
                                           int width, int height, int cosine, int sine)
{
    const int tiles_x = (width + 15) / 16, tiles = tiles_x * ((height + 15) / 16);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int x = tile % tiles_x * 16 + threadIdx.x % 16;
        const int y = tile / tiles_x * 16 + threadIdx.x / 16;
        const int dx = x - width / 2, dy = y - height / 2;
        const int u = ((cosine * dx - sine * dy + 32768) >> 16) + width / 2;
        const int v = ((sine * dx + cosine * dy + 32768) >> 16) + height / 2;
        if (x < width && y < height)
            to[y * width + x] = tex2D<float>(from, u + 0.5f, v + 0.5f);
    }
}
