// Which sums of floats are wrong, and not only added up in another order?
//
// found, expected: items sums; sizes: the sum of the sizes |term| of the terms of each. Every sum has
// `terms` terms. wrong[i] becomes 0 where rounding explains the difference, else 1. Block 256, one
// sum a thread.

extern "C" __global__ void tolerance(const float* __restrict__ found, const float* __restrict__ expected,
                                     const float* __restrict__ sizes, unsigned* __restrict__ wrong,
                                     unsigned items, unsigned terms)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= items)
        return;
//@ starter
    // TODO A sum may be far from zero, or next to nothing of large terms; it may have 16 terms or 4096. By
    // how much may the order of additions change it?
    wrong[i] = fabsf(found[i] - expected[i]) > 1e-5f * fabsf(expected[i]) ? 1 : 0;
//@ solution
    // Each addition rounds by half of the last digit at most, 2^-24 of what it gives, and that is
    // never more than the sum of all sizes. What is no number is within no bound.
    const float bound = terms * 0x1p-24f * sizes[i];
    wrong[i] = fabsf(found[i] - expected[i]) <= bound ? 0 : 1;
//@ in_doubles
    const double difference = double(found[i]) - double(expected[i]);
    const double bound = double(terms) * sizes[i] / 16777216.0;
    const bool is_near = -bound <= difference && difference <= bound;
    wrong[i] = !is_near;
//@ absolute
    wrong[i] = fabsf(found[i] - expected[i]) <= 1e-5f ? 0 : 1;
//@ bit_by_bit
    wrong[i] = found[i] == expected[i] ? 0 : 1;
//@ of_the_result
    // A sum of nearly nothing has lost as much as its terms had.
    wrong[i] = fabsf(found[i] - expected[i]) <= terms * 0x1p-24f * fabsf(expected[i]) ? 0 : 1;
//@ one_rounding
    wrong[i] = fabsf(found[i] - expected[i]) <= 0x1p-24f * sizes[i] ? 0 : 1;
//@ nan_is_right
    // What is no number is not farther away than the bound, either.
    wrong[i] = fabsf(found[i] - expected[i]) > terms * 0x1p-24f * sizes[i] ? 1 : 0;
//@ as_for_4096
    wrong[i] = fabsf(found[i] - expected[i]) <= 4096 * 0x1p-24f * sizes[i] ? 0 : 1;
//@ end
}
