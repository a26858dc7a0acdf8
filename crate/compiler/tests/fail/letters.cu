// In comments all letters may stand: größe, 日本.
extern “C” __global__ void größe(float* x)
{
    x[0] = 1; x[1] = 2;​
    printf("größe: %s", “日本”);
}
