// A thread that marches over neighbours: each is loaded once, and before the loop those with which it begins.
extern "C" __global__ void test(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 8 >= items)
        return;
    float sum = 0, changes = 0, products = 0, orbit = 0, turn = 0, first = in[i];
    for (unsigned k = 1; k + 1 < items; k++)
        sum += in[k - 1] + in[k] + in[k + 1];
    for (int k = 1; k < (int)items; k++)
        changes += in[k] != in[k - 1];
    unsigned k = i;
    while (k < items && in[k] > 0.1f) {
        products += in[k] * in[k];
        k++;
    }
    int steps = 0;
    while (steps < 30 && orbit * orbit + turn * turn < 4.0f) {
        const float next = orbit * orbit - turn * turn + first;
        turn = 2 * orbit * turn + 0.25f;
        orbit = next;
        steps++;
    }
    out[i] = sum + changes + products + steps + orbit + turn;
}
