// launch: --grid 1 --block 1 --arg i64[4]=iota --arg i32=3
// finds: printf
__global__ void show(const long long* a, int n) {
    printf("sum %d n %d\n", a[1] * 5000000000LL, n); //!
}
