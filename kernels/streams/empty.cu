// Nothing: what a launch of it takes is what a launch takes.
extern "C" __global__ void empty(const unsigned* __restrict__, unsigned)
{
}
