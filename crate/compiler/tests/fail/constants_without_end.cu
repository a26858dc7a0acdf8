constexpr int forever(int n) { while (true) {} return n + 4; }
constexpr int stays(int n) { while (n > 0) n += 0; return 7; }
extern "C" __global__ void k(int* x) {
    constexpr int a = forever(3);
    constexpr int b = stays(3);
    x[threadIdx.x] = a + b;
}
