//# block 32
// Loops whose bounds say that there are at most 20 iterations, in another loop and in none, and some of which there may be more.
extern "C" __global__ void test(const int* in, const int* weights, int* out, int items)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    int masked = in[i] & 15, chosen = in[i + 1], sum = 0;
    for (int d = 0; d < masked; d++)
        sum += weights[d];
    if (chosen > 12)
        chosen = 12;
    for (int d = 2; d <= chosen; d += 2)
        sum += weights[d];
    for (int d = min(in[i + 2], 20); d > 0; d--)
        sum += 3 * weights[d];
    for (unsigned d = threadIdx.x; d < 500; d += 32)
        sum += weights[d];
    out[i] = sum;
    const int one_more = min(in[i + 3], 21), of_sign = 1 + in[i + 4] % 10;
    for (int d = 0; d < one_more; d++)
        sum += weights[d];
    for (int d = 0; d < of_sign; d++)
        sum += weights[d];
    for (int v = i; v < items; v += 64) {
        const int inner = in[v] & 7;
        for (int d = 0; d < inner; d++)
            sum += weights[d + v];
    }
    out[i + items] = sum;
}
