// launch: --grid 1 --block 4 --arg i32[12]=zero
// finds: misaligned
__global__ void swap(int* a) {
    atomicCAS((unsigned long long*)(a + 2 * threadIdx.x + 1), 0ull, 5ull); //!
}
