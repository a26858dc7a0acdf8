// launch: --grid 1 --block 4 --arg i32[4]=zero
// finds: out_of_bounds,invalid_address
__global__ void heap(int* out) {
    int* p = new int[10];
    for (int i = 0; i <= 10; ++i) p[i] = i; //!
    out[threadIdx.x] = p[9];
    delete[] p;
}
