// launch: --grid 2 --block 1 --arg f32[2]=zero --arg i32[1]=zero --arg f32[1]=zero
// finds: race
struct Result { float a, b; };
__global__ void handover(Result* r, volatile int* flag, float* out) {
    if (blockIdx.x == 0) {
        r->a = 1.f;
        __threadfence();
        r->b = 2.f; //!
        *flag = 1;
    } else {
        while (!*flag) ;
        __threadfence();
        *out = r->a + r->b; //!
    }
}
