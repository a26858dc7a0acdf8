// launch: --grid 1 --block 1 --arg f32[4]=iota
// finds: printf
__global__ void show(const float* a) {
    for (int i = 0; i < 2; ++i)
        printf("a[%d] = %d\n", i, a[i]); //!
}
