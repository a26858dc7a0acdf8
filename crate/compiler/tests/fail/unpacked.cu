// Values taken apart into other numbers of parts, and conditions that declare nothing.
struct Pair { float a, b; };

extern "C" __global__ void k(float* x)
{
    Pair pair{1, 2};
    auto [a, b, c] = pair;
    float row[2] = {x[0], x[1]};
    auto& [first] = row;
    if (int n)
        x[0] = n;
}
