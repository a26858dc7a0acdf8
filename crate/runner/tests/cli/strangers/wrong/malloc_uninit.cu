// launch: --grid 1 --block 4 --arg i32[4]=zero
// finds: uninitialized
__global__ void heap(int* out) {
    int* p = (int*)malloc(8 * sizeof(int));
    for (int i = 0; i < 7; ++i) p[i] = i;
    int s = 0;
    for (int i = 0; i < 8; ++i) s += p[i]; //!
    out[threadIdx.x] = s; //!
    free(p);
}
