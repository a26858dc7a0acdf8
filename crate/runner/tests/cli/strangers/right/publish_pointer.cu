// launch: --grid 3 --block 1 --arg i32[12]=zero --arg u64[1]=zero --arg i32[3]=zero
struct Config { int a, b, c, d; };
__global__ void publish(Config* pool, Config** slot, int* out) {
    if (blockIdx.x == 2) {
        Config* c = &pool[1];
        c->a = 1; c->b = 2; c->c = 3; c->d = 4;
        __threadfence();
        atomicExch((unsigned long long*)slot, (unsigned long long)c);
    } else {
        unsigned long long p;
        while ((p = atomicAdd((unsigned long long*)slot, 0ull)) == 0) ;
        __threadfence();
        Config* c = (Config*)p;
        out[blockIdx.x] = c->a + c->b + c->c + c->d;
    }
}
