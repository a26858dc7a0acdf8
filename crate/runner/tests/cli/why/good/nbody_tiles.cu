// launch: --grid 4 --block 128 --arg f32[2048]=random:5 --arg f32[2048]=zero --arg i32=512
__global__ void forces(const float4* p, float4* f, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int b = 0; b < n; b += 128) {
        tile[threadIdx.x] = p[b + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float w = tile[k].w * r * r * r;
            ax += w * dx; ay += w * dy; az += w * dz;
        }
        __syncthreads();
    }
    f[i] = make_float4(ax, ay, az, 0);
}
