// Texts as arrays and pointers.
__device__ int length(const char* s) { int n = 0; while (*s++) n++; return n; }
__constant__ char message[] = "hello";
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const char* names[2] = {"first", "second one"};
  char local[] = "abc";
  const char hex[17] = "0123456789abcdef";
  out[i] = length(names[in[i] & 1]) + message[i % 5] + local[i % 3] + hex[in[i] & 15];
}
