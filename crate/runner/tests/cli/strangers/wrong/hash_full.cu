// launch: --grid 1 --block 32 --arg i32[40]=random:3 --arg i32[16]=zero
// finds: endless_loop
__global__ void insert(const int* keys, int* table) {
    unsigned k = keys[threadIdx.x] | 1;
    unsigned slot = k % 16;
    while (true) { //!
        unsigned old = atomicCAS((unsigned*)&table[slot], 0u, k); //!
        if (old == 0 || old == k) break; //!
        slot = (slot + 1) % 16; //!
    }
}
