// What an earlier declaration puts on the device stays, with instances of templates.
__device__ float later(float x);
template <typename T, int N> __global__ void scale(T* x) { x[threadIdx.x] *= later(N); }
template __global__ void scale<float, 3>(float*);
template <typename T> void launch(T* x) { scale<T, 1><<<1, 32>>>(x); }
template void launch<float>(float*);
float later(float x) { return x + 1; }
struct Op {
    __device__ float apply(float x) const;
    float check() const;
};
float Op::apply(float x) const { return x; }
float Op::check() const { return 0; }
static inline void* allocate(size_t bytes) { void* p; cudaMalloc(&p, bytes); return p; }
void (*callback)(int) = nullptr;
int table[] = {1, 2, 3};
