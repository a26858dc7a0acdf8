// launch: --grid 1 --block 1 --arg f32[4]=iota
// finds: printf
__global__ void show(const float* a) { printf("%d\n", a[1]); } //!
