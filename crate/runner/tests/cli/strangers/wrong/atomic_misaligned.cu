// launch: --grid 1 --block 8 --arg u8[64]=zero
// finds: misaligned
__global__ void bump(unsigned char* rec) {
    int* counter = (int*)(rec + threadIdx.x * 6 + 1);
    atomicAdd(counter, 1); //!
}
