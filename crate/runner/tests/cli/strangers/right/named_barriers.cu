// launch: --grid 1 --block 64 --arg i32[256]=iota --arg i32[32]=zero
template <int ID> __device__ void sync() { asm volatile("bar.sync %0, 64;" :: "n"(ID) : "memory"); }
template <int ID> __device__ void arrive() { asm volatile("bar.arrive %0, 64;" :: "n"(ID) : "memory"); }
__global__ void pc(const int* in, int* out) {
    __shared__ int s[32];
    int l = threadIdx.x & 31, acc = 0;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 8; ++k) {
            if (k) sync<2>();
            s[l] = in[k * 32 + l];
            arrive<1>();
        }
    } else {
        for (int k = 0; k < 8; ++k) {
            sync<1>();
            acc += s[31 - l];
            if (k < 7) arrive<2>();
        }
        out[l] = acc;
    }
}
