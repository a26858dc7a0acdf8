// launch: --grid 1 --block 32 --shared 420 --arg f64[32]=random:1 --arg f64[32]=zero --arg i32=32
extern __shared__ __align__(16) char pool[];
template <typename T> __device__ T* take(char*& p, int n) { T* r = reinterpret_cast<T*>(p); p += n * sizeof(T); return r; }
__global__ void carve(const double* in, double* out, int n) {
    char* p = pool;
    double* vals = take<double>(p, n);
    int* idx = take<int>(p, n);
    char* flag = take<char>(p, n);
    int t = threadIdx.x;
    vals[t] = in[t]; idx[t] = n - 1 - t; flag[t] = in[t] > 0.5;
    __syncthreads();
    out[t] = flag[idx[t]] ? vals[idx[t]] : -1.0;
}
