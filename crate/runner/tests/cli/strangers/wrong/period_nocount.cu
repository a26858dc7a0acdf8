// launch: --grid 1 --block 1 --arg i32[1]=zero --arg i32=2147483647
// finds: endless_loop
__global__ void divisors(int* out, int n) {
    int c = 0;
    for (unsigned short i = 1; i * i <= n; ++i) //!
        c += n % (i | 1); //!
    *out = c;
}
