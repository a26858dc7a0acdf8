// A function of the host alone.
void scale(float* x)
{
    x[0] = 1;
}
