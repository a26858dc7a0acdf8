// Shared memory of the launch behind a conversion to a pointer.
//# block 32
template <typename T> struct SharedMemory { __device__ inline operator T *() { extern __shared__ int __smem[]; return (T *)__smem; } __device__ inline operator const T *() const { extern __shared__ int __smem[]; return (T *)__smem; } };
template <class T> __device__ void reverse(const T *in, T *out) { T *sdata = SharedMemory<T>(); sdata[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = sdata[31 - threadIdx.x]; }
extern "C" __global__ void test(const float *in, float *out, const int *i, int *o) { reverse(in, out); __syncthreads(); reverse<int>(i, o); }
