// Addresses as first values of what lies in the module: of variables, of elements, in tables and in objects.
__device__ int x = 5;
__device__ int* p = &x;
__device__ float table[4] = {1, 2, 3, 4};
__device__ float* second = table + 1;
__constant__ float* rows[2] = {table, &table[2]};
struct Node { int v; Node* next; };
__device__ Node tail = {2, nullptr};
__device__ Node head = {1, &tail};
__constant__ const char* names[2] = {"ab", "cd"};
struct View { const float* data; int size; short step; };
__constant__ View views[2] = {{table, 4, 1}, {table + 1, 2, 2}};
extern "C" __global__ void test(const float* in, float* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const View& v = views[i & 1];
    out[i] = in[i] + *p + second[1] + rows[i & 1][1] + head.next->v + names[i & 1][0] + v.data[v.step] + v.size;
}
