// Functions that are called rather than inlined, and what CUDA's runtime gives to device code.
#include <cassert>
#include <cstdio>

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};

struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};

struct Circle : Shape {
    float radius;
    __device__ Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

// Lanes of a warp call different functions through a table of virtual ones, on objects of the heap.
extern "C" __global__ void virtual_functions(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shape *shape = i % 3 ? static_cast<Shape *>(new Square(i)) : new Circle(i);
    out[i] = shape->area();
    delete shape;
}

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void ackermanns(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ackermann(i % 3, i % 5);
}

__device__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

extern "C" __global__ void parity(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = even(i % 50);
}

__device__ __noinline__ void quicksort(int *values, int low, int high)
{
    if (low >= high) return;
    int pivot = values[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (values[i] < pivot) i++;
        while (values[j] > pivot) j--;
        if (i <= j) {
            int other = values[i];
            values[i++] = values[j];
            values[j--] = other;
        }
    }
    quicksort(values, low, j);
    quicksort(values, i, high);
}

// Each thread sorts a row of its own, in a local array.
extern "C" __global__ void sorts(int *rows, int count)
{
    int values[24];
    int *row = rows + 24 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (blockIdx.x * blockDim.x + threadIdx.x >= count) return;
    for (int i = 0; i < 24; i++) values[i] = row[i];
    quicksort(values, 0, 23);
    for (int i = 0; i < 24; i++) row[i] = values[i];
}

// A barrier at the bottom of a recursion, with an array in every frame.
__device__ __noinline__ int deep(int depth, int *tile)
{
    int values[4];
    for (int i = 0; i < 4; i++) values[i] = threadIdx.x * depth + i;
    if (depth == 0) {
        tile[threadIdx.x] = threadIdx.x;
        __syncthreads();
        return tile[(threadIdx.x + 1) % blockDim.x];
    }
    int below = deep(depth - 1, tile);
    return below + values[(below + depth) & 3];
}

extern "C" __global__ void barrier_below(int *out, int depth)
{
    __shared__ int tile[256];
    out[threadIdx.x] = deep(depth, tile);
}

struct Triple {
    int a;
    short b;
    long long c;
};

__device__ Triple sum(Triple x, Triple y)
{
    Triple z = {x.a + y.a, static_cast<short>(x.b + y.b), x.c + y.c};
    return z;
}

__device__ Triple swapped(Triple x, Triple y)
{
    Triple z = {y.a, x.b, y.c - x.c};
    return z;
}

typedef Triple (*Combine)(Triple, Triple);

struct Named {
    Combine combine;
    int factor;
    const char *name;
};

__device__ Named operations[2] = {{sum, 3, "sum"}, {swapped, 5, "turn"}};

// Structures by value through pointers in a table of the module.
extern "C" __global__ void pointers(long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Named &operation = operations[(i / 2) & 1];
    Triple x = {i, static_cast<short>(2 * i), 3LL * i}, y = {7, 8, 1LL << 40};
    Triple z = operation.combine(x, y);
    out[i] = (z.a + z.b + z.c) * operation.factor + operation.name[0];
}

// A pointer to a function that is none, where `bad` says so.
extern "C" __global__ void wild_call(int *out, int bad)
{
    int (*function)(int) = bad ? reinterpret_cast<int (*)(int)>(8ull * threadIdx.x) : even;
    out[threadIdx.x] = function(threadIdx.x);
}

extern "C" __global__ void prints(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int taken = printf("%d %5.2f|%s|%-6x|%llu|%c\n", i, i * 0.5, "tile", i * 16, 1ull << 40, 'a' + i % 26);
        if (taken != 6) printf("wrong\n");
    }
}

extern "C" __global__ void formats()
{
    printf("%+d|% i|%05d|%-5d|%.3d|%hhd|%hd|%ld|%lld|%zu\n", 42, 42, -42, 42, 7, 300, 70000, -5l, -6ll, (size_t)7);
    printf("%u|%o|%#o|%x|%#X|%#x\n", 4000000000u, 8, 8, 255, 255, 0);
    printf("%f|%.0f|%#.0f|%10.3f|%-10.1f|%+f|%010.2f\n", 1.5, 2.5, 2.5, 3.14159, 2.25, 1.0, -3.5);
    printf("%e|%.0e|%E|%g|%g|%g|%G|%#g|%.3g\n", 12345.678, 15.0, 0.0, 100000.0, 1000000.0, 0.0001, 1e-10, 1.5, 1234.5);
    printf("%a|%A|%.2a|%a|%f|%F|%e\n", 1.0, 10.5, 1.999, 5e-324, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0);
    printf("%s|%10s|%-10s|%.2s|%c|%5c|%p|%%|%*d|%-*d|%.*f\n", "abc", "abc", "abc", "abc", 'x', 'y', (void *)0, 6, 42, 6, 42, 2, 1.005);
}

extern "C" __global__ void asserts(const float *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) assert(values[i] >= 0.0f && "a square root");
}

// Local memory whose size only the thread knows.
extern "C" __global__ void stack_memory(int *out, int n)
{
    int *values = static_cast<int *>(alloca((n + threadIdx.x) * sizeof(int)));
    for (int i = 0; i < n; i++) values[i] = i * threadIdx.x;
    int total = even(threadIdx.x);
    for (int i = 0; i < n; i++) total += values[i];
    out[threadIdx.x] = total;
}

extern "C" __global__ void heap(int *out, int n, int twice)
{
    int *values = static_cast<int *>(malloc(n * sizeof(int)));
    if (!values) {
        out[threadIdx.x] = -1;
        return;
    }
    for (int i = 0; i < n; i++) values[i] = i + threadIdx.x;
    __syncthreads();
    int total = 0;
    for (int i = 0; i < n; i++) total += values[i];
    out[threadIdx.x] = total;
    free(values);
    if (twice) free(values);
}
