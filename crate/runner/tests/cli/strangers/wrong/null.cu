// launch: --grid 1 --block 4 --arg i32[4]=zero --arg u64=0
// finds: invalid_address
struct Opt { int k; };
__global__ void nul(int* out, const Opt* o) {
    out[threadIdx.x] = o->k + 1; //!
}
