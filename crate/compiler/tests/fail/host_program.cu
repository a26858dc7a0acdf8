// A whole program, as examples are: what the host does is not compiled.
extern "C" __global__ void k(float* x) { x[0] = 1; }

int main()
{
    float* x = 0;
    k<<<1, 32>>>(x);
}
