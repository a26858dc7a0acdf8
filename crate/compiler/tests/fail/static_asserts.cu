template <unsigned N> struct Tile {
    static_assert(N % 32 == 0, "whole warps");
    float values[N];
};

extern "C" __global__ void k(float* x, unsigned n)
{
    static_assert(sizeof(float) == 8, "eight bytes");
    Tile<33> tile;
    float list[n];
    constexpr unsigned m = n;
}
