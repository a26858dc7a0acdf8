// launch: --grid 1 --block 1 --arg i32[4]=iota
// finds: printf
__global__ void show(const int* a) { printf("%f %d\n", a[1], a[2]); } //!
