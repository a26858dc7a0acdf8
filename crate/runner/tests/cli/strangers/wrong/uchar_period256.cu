// launch: --grid 1 --block 1 --arg i32[1]=zero --arg i32=1000
// finds: endless_loop
__global__ void f(int* out, int n) {
    int c = 0;
    for (unsigned char i = 1; i * 3 <= n; ++i) if (n % (i | 1) == 0) ++c; //!
    *out = c;
}
