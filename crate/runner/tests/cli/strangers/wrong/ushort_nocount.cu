// launch: --grid 1 --block 1 --arg i32[1]=zero --arg i32=100000
// finds: endless_loop
__global__ void f(int* out, int n) {
    int c = 0;
    for (unsigned short i = 1; i <= n; ++i) c += i & 1; //!
    *out = c;
}
