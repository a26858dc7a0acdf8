// What a lambda reaches.
extern "C" __global__ void k(int* x)
{
    int n = 3;
    const int m = 4;
    auto plain = [](int v) { return v + n + m; };
    auto copied = [n](int v) { n += v; return n; };
    auto own = [n](int v) mutable { n += v; return n; };
    auto* pointer = n;
    x[0] = plain(1);
    x[1] = copied(2);
    x[2] = own(3);
}
