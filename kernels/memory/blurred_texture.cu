// The same by texture, which clamps coordinates by itself.
extern "C" __global__ void blurred_texture(cudaTextureObject_t from, float* __restrict__ to,
                                           int width, int height)
{
    const int tiles_x = (width + 31) / 32, tiles = tiles_x * ((height + 7) / 8);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int x = tile % tiles_x * 32 + threadIdx.x % 32;
        const int y = tile / tiles_x * 8 + threadIdx.x / 32;
        float sum = 0.0f;
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i)
                sum += tex2D<float>(from, x + i + 0.5f, y + j + 0.5f);
        if (x < width && y < height)
            to[y * width + x] = sum;
    }
}
