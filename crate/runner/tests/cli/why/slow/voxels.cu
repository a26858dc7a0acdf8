// launch: --grid 16 --block 128 --arg f32[8192]=random:1 --arg f32[2048]=zero --arg i32=2048
// first: structure 6
struct Voxel { float density; float temperature; int material; int flags; };
__global__ void melt(const Voxel* grid, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (grid[i].temperature > 0.0f)
            out[i] = grid[i].density * 0.5f;
    }
}
