// launch: --grid 1 --block 1 --arg i32[4]=iota
// finds: printf
__global__ void show(const int* a) {
    printf("%d of %d: %s\n", a[1], a[2]); //!
}
