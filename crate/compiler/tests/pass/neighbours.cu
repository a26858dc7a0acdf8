// Members that lie side by side: which loads and stores of them are one, and which are not.
//# block 64 1
struct Pair { float f; int i; };
struct alignas(8) Aligned { float f; int i; };
struct alignas(16) Long { float a[8]; };
struct Particle { float2 place, speed; float mass; int number; };

extern "C" __global__ void test(float4* quads, float2* pairs, uchar4* colours, short4* shorts, Particle* particles,
    Pair* loose, Aligned* tight, Long* longs, const float4* __restrict__ fixed, float* out, int items)
{
    __shared__ float4 tile[64];
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= items)
        return;
    float sum = 0;
    // All four, three of them, the outer ones, and those that begin in the middle.
    sum += quads[4 * i].x * quads[4 * i].y + quads[4 * i].z - quads[4 * i].w;
    sum += quads[4 * i + 1].x * quads[4 * i + 1].y - quads[4 * i + 1].z;
    sum += quads[4 * i + 2].x * quads[4 * i + 2].w;
    sum += quads[4 * i + 3].y * quads[4 * i + 3].z - quads[4 * i + 3].w;
    sum += fixed[i].w * fixed[i].x;
    // Types beside each other, as wide as each other or not.
    sum += loose[i].f * loose[i].i + tight[i].f * tight[i].i;
    sum += colours[i].x + colours[i].z + shorts[i].x * shorts[i].y - shorts[i].z;
    // Elements that are counted out lie where the array does; others do not.
    sum += longs[i].a[2] + longs[i].a[4] - longs[i].a[6];
    for (int k = 0; k < 2; ++k)
        sum -= longs[i].a[k];
    out[i] = sum;
    // Through the members of a struct only the same member can be meant.
    pairs[i + items].x = pairs[i].x * 2;
    pairs[i + items].y = pairs[i].y * 3;
    out[2 * items] = 1;
    particles[i].place.x += particles[i].speed.x * 0.5f;
    particles[i].place.y += particles[i].speed.y * 0.5f;
    if (particles[i].place.x < 0)
        particles[i].speed.x = -particles[i].speed.x;
    if (particles[i].place.y < 0)
        particles[i].speed.y = -particles[i].speed.y;
    quads[i + 4 * items].z = 1;
    quads[i + 4 * items].x = sum;
    quads[i + 4 * items].y = 2;
    tight[i + items].f = sum;
    tight[i + items].i = i;
    colours[i + items].y = i;
    colours[i + items].x = 3;
    // Shared memory, and a barrier between.
    tile[threadIdx.x].x = sum;
    tile[threadIdx.x].y = i;
    __syncthreads();
    out[i + items] = tile[threadIdx.x ^ 1].x + tile[threadIdx.x ^ 1].y;
}
