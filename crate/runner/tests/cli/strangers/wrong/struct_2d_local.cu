// launch: --grid 1 --block 8 --arg i32[8]=iota --arg i32[8]=zero
// finds: out_of_bounds
struct Tile { int m[3][3]; int tail; };
__global__ void tiles(const int* in, int* out) {
    Tile t;
    for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j) t.m[i][j] = i * j + in[threadIdx.x];
    t.tail = 5;
    int r = in[threadIdx.x] % 4;
    out[threadIdx.x] = t.m[r][1] + t.tail; //!
}
