// Shared memory that is too small, and launches that no GPU takes.

//# mistake no_room_for_halo: a block of 32 needs 33 elements to see each thread's right neighbour
//# launch --grid 3 --block 32 --arg i32[97]=iota --arg i32[96]=poison
//# finds out_of_bounds
//# gives 1 neighbours_added
extern "C" __global__ void no_room_for_halo(const int* in, int* out) {
#ifdef FIXED
    __shared__ int tile[33];
#else
    __shared__ int tile[32];
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (threadIdx.x == 31) tile[threadIdx.x + 1] = in[i + 1]; // MISTAKE
    __syncthreads();
    out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1]; // MISTAKE
}

//# mistake unpadded_tile: the index has the padding, the array has not
//# launch --grid 2,2 --block 32,8 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds out_of_bounds
//# gives 1 transpose
extern "C" __global__ void unpadded_tile(const float* in, float* out, int rows, int columns) {
#ifdef FIXED
    __shared__ float tile[32 * 33];
#else
    __shared__ float tile[32 * 32];
#endif
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (x0 + threadIdx.x < columns && y0 + j < rows)
            tile[j * 33 + threadIdx.x] = in[(y0 + j) * columns + x0 + threadIdx.x]; // MISTAKE
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        if (y0 + threadIdx.x < rows && x0 + j < columns)
            out[(x0 + j) * rows + y0 + threadIdx.x] = tile[threadIdx.x * 33 + j]; // MISTAKE
}

//# mistake no_dynamic_shared: the launch asks for no dynamic shared memory
//# launch --grid 3 --block 32 --arg i32[96]=iota --arg i32[96]=poison
//# fixed --grid 3 --block 32 --shared 128 --arg i32[96]=iota --arg i32[96]=poison
//# finds out_of_bounds
//# gives 1 reversed 32
extern "C" __global__ void no_dynamic_shared(const int* in, int* out) {
    extern __shared__ int dynamic[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dynamic[threadIdx.x] = in[i]; // MISTAKE
    __syncthreads();
    out[i] = dynamic[blockDim.x - 1 - threadIdx.x]; // MISTAKE
}

//# mistake elements_of_dynamic_shared: the launch asks for as many bytes as there are elements
//# launch --grid 3 --block 32 --shared 32 --arg i32[96]=iota --arg i32[96]=poison
//# fixed --grid 3 --block 32 --shared 128 --arg i32[96]=iota --arg i32[96]=poison
//# finds out_of_bounds
//# gives 1 reversed 32
extern "C" __global__ void elements_of_dynamic_shared(const int* in, int* out) {
    extern __shared__ int dynamic[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dynamic[threadIdx.x] = in[i]; // MISTAKE
    __syncthreads();
    out[i] = dynamic[blockDim.x - 1 - threadIdx.x]; // MISTAKE
}

//# mistake negative_shared: the first threads read before the array
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds out_of_bounds
//# gives 1 with_left_neighbour
extern "C" __global__ void negative_shared(const int* in, int* out) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
#ifdef FIXED
    int left = i > 0 ? tile[i - 1] : 0;
#else
    int left = tile[i - 1]; // MISTAKE
#endif
    out[i] = left + tile[i];
}

//# mistake into_the_next_array: one element too many of the first array is the first of the second
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=iota --arg i32[64]=poison
//# finds race
//# gives 2 pairwise_sum_reversed
extern "C" __global__ void into_the_next_array(const int* a, const int* b, int* out) {
    __shared__ int both[128];
    int *first = both, *second = both + 64;
    int i = threadIdx.x;
#ifdef FIXED
    first[i] = a[i];
#else
    first[i + 1] = a[i]; // MISTAKE
    if (i == 0) first[0] = 0;
#endif
    second[i] = b[i]; // MISTAKE
    __syncthreads();
    out[i] = first[63 - i] + second[63 - i];
}

//# mistake into_the_next_variable: 65 elements go into an array of 64, and the last is another array's first
//# launch --grid 2 --block 32 --arg i32[130]=iota --arg i32[128]=poison
//# finds out_of_bounds
//# gives 1 first_of_65
extern "C" __global__ void into_the_next_variable(const int* in, int* out) {
    __shared__ int low[64];
    __shared__ int high[64];
#ifdef FIXED
    const int count = 64;
#else
    const int count = 65;
#endif
    int i = threadIdx.x, first = blockIdx.x * 65;
    for (int k = i; k < count; k += 32) low[k] = in[first + k]; // MISTAKE
    __syncthreads();
    for (int k = i; k < 64; k += 32) high[k] = low[63 - k];
    __syncthreads();
    for (int k = i; k < 64; k += 32) out[blockIdx.x * 64 + k] = high[63 - k];
}

//# mistake from_static_into_dynamic: the row after the last one is dynamic shared memory
//# launch --grid 1 --block 33 --shared 128 --arg i32[33]=iota --arg i32[32]=poison
//# fixed --grid 1 --block 32 --shared 128 --arg i32[33]=iota --arg i32[32]=poison
//# finds out_of_bounds
//# gives 1 copy 32
extern "C" __global__ void from_static_into_dynamic(const int* in, int* out) {
    __shared__ int row[32];
    extern __shared__ int dynamic[];
    int i = threadIdx.x;
    row[i] = in[i]; // MISTAKE
    __syncthreads();
    if (i < 32) dynamic[i] = row[31 - i];
    __syncthreads();
    if (i < 32) out[i] = dynamic[31 - i];
}

//# mistake too_many_threads: 33 × 32 threads are more than 1024
//# launch --grid 2,2 --block 33,32 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# fixed --grid 2,2 --block 32,32 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds limit
//# gives 1 copy
extern "C" __global__ void too_many_threads(const float* in, float* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[y * columns + x] = in[y * columns + x];
}

//# mistake too_much_dynamic_shared: 300000 bytes are more than a block may have
//# launch --grid 1 --block 32 --shared 300000 --arg i32[32]=iota --arg i32[32]=poison
//# fixed --grid 1 --block 32 --shared 128 --arg i32[32]=iota --arg i32[32]=poison
//# finds limit
//# gives 1 reversed 32
extern "C" __global__ void too_much_dynamic_shared(const int* in, int* out) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

//# mistake tall_grid: a grid has at most 65535 blocks in y
//# launch --grid 1,70000 --block 32 --arg i32[70000]=iota --arg i32[70000]=poison --arg i32=70000
//# fixed --grid 2188 --block 32 --arg i32[70000]=iota --arg i32[70000]=poison --arg i32=70000
//# finds limit
//# gives 1 copy
extern "C" __global__ void tall_grid(const int* in, int* out, int n) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

//# mistake over_launch_bounds: the kernel promises at most 128 threads a block
//# launch --grid 1 --block 200 --arg i32[200]=iota --arg i32[200]=poison --arg i32=200
//# fixed --grid 2 --block 100 --arg i32[200]=iota --arg i32[200]=poison --arg i32=200
//# finds limit
//# gives 1 copy
extern "C" __global__ void __launch_bounds__(128) over_launch_bounds(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
