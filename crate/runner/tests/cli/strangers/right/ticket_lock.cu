// launch: --grid 5 --block 32 --arg u32[2]=zero --arg i32[32]=zero
struct Ticket { unsigned next, serving; };
__global__ void add(Ticket* l, int* sums) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&l->next, 1u);
        while (*(volatile unsigned*)&l->serving != mine) ;
        __threadfence();
    }
    __syncthreads();
    sums[threadIdx.x] += blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&l->serving, 1u);
}
