// A structure of arrays, four particles a thread: every access has 16 bytes. The last, incomplete
// four go one by one.
__device__ float4 moved(float4 place, float4 speed, float step)
{
    return make_float4(place.x + step * speed.x, place.y + step * speed.y,
                       place.z + step * speed.z, place.w + step * speed.w);
}

extern "C" __global__ void drift_soa_float4(float* __restrict__ x, float* __restrict__ y, float* __restrict__ z,
                                            const float* __restrict__ vx, const float* __restrict__ vy,
                                            const float* __restrict__ vz, unsigned items, float step)
{
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 4 <= items) {
        const float4 px = *(float4*)(x + i), py = *(float4*)(y + i), pz = *(float4*)(z + i);
        const float4 sx = *(float4*)(vx + i), sy = *(float4*)(vy + i), sz = *(float4*)(vz + i);
        *(float4*)(x + i) = moved(px, sx, step);
        *(float4*)(y + i) = moved(py, sy, step);
        *(float4*)(z + i) = moved(pz, sz, step);
    } else {
        for (unsigned j = i; j < items; ++j) {
            x[j] += step * vx[j];
            y[j] += step * vy[j];
            z[j] += step * vz[j];
        }
    }
}
