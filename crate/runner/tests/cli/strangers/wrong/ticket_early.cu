// launch: --grid 5 --block 64 --arg u32[2]=zero --arg i32[64]=zero
// finds: race
struct Ticket { unsigned next, serving; };
__global__ void add(Ticket* l, int* sums) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&l->next, 1u);
        while (*(volatile unsigned*)&l->serving != mine) ;
        __threadfence();
    }
    __syncthreads();
    sums[threadIdx.x] += blockIdx.x; //!
    __threadfence();
    if (threadIdx.x == 0) atomicAdd(&l->serving, 1u); //!
}
