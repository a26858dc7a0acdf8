// launch: --grid 1 --block 1 --arg f64[4]=iota
// finds: printf
__global__ void show(const double* a) { printf("%d %d %d\n", 1, a[2], 3); } //!
