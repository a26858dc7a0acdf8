// launch: --grid 16 --block 256 --arg f32[12288]=random:2 --arg f32[4096]=zero --arg i32=4096
// first: structure 9
struct Point { float x; float y; float z; };

__global__ void distances(const Point *points, float *dist, int n)
{
    int tid = threadIdx.x + blockDim.x * blockIdx.x;
    if (tid >= n) return;
    dist[tid] = sqrtf(points[tid].x * points[tid].x + points[tid].y * points[tid].y + points[tid].z * points[tid].z);
}
