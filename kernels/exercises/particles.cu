// From an array of structures to a structure of arrays.
//
// particles: items structures of six floats (x, y, z and three of velocity), one behind the
// other; fields: all x, then all y, and so on: fields[f * items + i] is field f of particle i.
// Block 128; it covers 128 particles.

extern "C" __global__ void particles(const float* __restrict__ particles, float* __restrict__ fields,
                                     unsigned items)
{
    const size_t first = size_t(blockIdx.x) * 128;

//@ starter
    // TODO Each of the six loads of a warp takes one float of every particle, and touches all
    // of the warp's 24 sectors. Load the 768 floats of the block side by side, each once,
    // and pick the fields out of shared memory.
    const size_t i = first + threadIdx.x;
    if (i < items)
        for (unsigned f = 0; f < 6; f++)
            fields[f * size_t(items) + i] = particles[6 * i + f];
//@ solution
    __shared__ float own[6 * 128];
    for (unsigned k = threadIdx.x; k < 6 * 128; k += 128)
        if (first * 6 + k < size_t(items) * 6)
            own[k] = particles[first * 6 + k];
    __syncthreads();

    const size_t i = first + threadIdx.x;
    if (i < items)
        for (unsigned f = 0; f < 6; f++)
            fields[f * size_t(items) + i] = own[6 * threadIdx.x + f];
//@ no_conflicts
    __shared__ float own[6][128 + 1];
    for (unsigned k = threadIdx.x; k < 6 * 128; k += 128)
        if (first * 6 + k < size_t(items) * 6)
            own[k % 6][k / 6] = particles[first * 6 + k];
    __syncthreads();
    const size_t i = first + threadIdx.x;
    if (i < items)
        for (unsigned f = 0; f < 6; f++)
            fields[f * size_t(items) + i] = own[f][threadIdx.x];
//@ pairs
    // Half as many loads, of eight bytes; but they still go in steps.
    const size_t i = first + threadIdx.x;
    if (i < items) {
        const float2* own = reinterpret_cast<const float2*>(particles + 6 * i);
        for (unsigned f = 0; f < 6; f += 2) {
            const float2 two = own[f / 2];
            fields[f * size_t(items) + i] = two.x;
            fields[(f + 1) * size_t(items) + i] = two.y;
        }
    }
//@ scattered_stores
    // What is read side by side is written in steps.
    for (unsigned k = threadIdx.x; k < 6 * 128; k += 128)
        if (first * 6 + k < size_t(items) * 6)
            fields[(k % 6) * size_t(items) + first + k / 6] = particles[first * 6 + k];
//@ no_barrier
    __shared__ float own[6 * 128];
    for (unsigned k = threadIdx.x; k < 6 * 128; k += 128)
        if (first * 6 + k < size_t(items) * 6)
            own[k] = particles[first * 6 + k];
    const size_t i = first + threadIdx.x;
    if (i < items)
        for (unsigned f = 0; f < 6; f++)
            fields[f * size_t(items) + i] = own[6 * threadIdx.x + f];
//@ guard_of_particles
    __shared__ float own[6 * 128];
    for (unsigned k = threadIdx.x; k < 6 * 128; k += 128)
        if (first + k < items)
            own[k] = particles[first * 6 + k];
    __syncthreads();
    const size_t i = first + threadIdx.x;
    if (i < items)
        for (unsigned f = 0; f < 6; f++)
            fields[f * size_t(items) + i] = own[6 * threadIdx.x + f];
//@ end
}
