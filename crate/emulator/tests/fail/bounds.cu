// Accesses past the ends of buffers, of constant tables and of local arrays.

//# mistake no_edge_test: the last block has threads past the end, and nothing stops them
//# launch --grid 4 --block 32 --arg f32[100]=iota --arg f32[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 plus_one
extern "C" __global__ void no_edge_test(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i < n)
#endif
        out[i] = in[i] + 1; // MISTAKE
}

//# mistake less_or_equal: `<=` lets one thread too many through
//# launch --grid 4 --block 32 --arg f32[100]=iota --arg f32[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 plus_one
extern "C" __global__ void less_or_equal(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i < n)
#else
    if (i <= n)
#endif
        out[i] = in[i] + 1; // MISTAKE
}

//# mistake no_edge_test_in_y: x is tested, y is not
//# launch --grid 2,3 --block 32,16 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void no_edge_test_in_y(const float* in, float* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef FIXED
    if (x < columns && y < rows)
#else
    if (x < columns)
#endif
        out[y * columns + x] = in[y * columns + x]; // MISTAKE
}

//# mistake swapped_guard: rows and columns are exchanged in the test
//# launch --grid 2,3 --block 32,16 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void swapped_guard(const float* in, float* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef FIXED
    if (x < columns && y < rows)
#else
    if (x < rows && y < columns)
#endif
        out[y * columns + x] = in[y * columns + x]; // MISTAKE
}

//# mistake wrong_pitch: the transposed matrix has rows of `rows` elements, not of `columns`
//# launch --grid 2,3 --block 32,16 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds out_of_bounds
//# gives 1 transpose
extern "C" __global__ void wrong_pitch(const float* in, float* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
#ifdef FIXED
    int pitch = rows;
#else
    int pitch = columns;
#endif
    out[x * pitch + y] = in[y * columns + x]; // MISTAKE
}

//# mistake swapped_index: x and y are exchanged in the index of the input
//# launch --grid 2,3 --block 32,16 --arg f32[1665]=iota --arg f32[1665]=poison --arg i32=37 --arg i32=45
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void swapped_index(const float* in, float* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
#ifdef FIXED
    float value = in[y * columns + x];
#else
    float value = in[x * columns + y]; // MISTAKE
#endif
    out[y * columns + x] = value;
}

//# mistake wrong_leading_dimension: B has n columns, and is indexed as if it had k
//# launch --grid 1 --block 8,8 --arg f32[35]=iota --arg f32[42]=iota --arg f32[30]=poison --arg i32=5 --arg i32=6 --arg i32=7
//# finds out_of_bounds
//# gives 2 product
extern "C" __global__ void wrong_leading_dimension(const float* a, const float* b, float* c, int m, int n, int k) {
    int column = threadIdx.x, row = threadIdx.y;
    if (row >= m || column >= n) return;
#ifdef FIXED
    int leading = n;
#else
    int leading = k;
#endif
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * leading + column]; // MISTAKE
    c[row * n + column] = sum;
}

//# mistake left_edge: the first element has no left neighbour
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 with_left_neighbour
extern "C" __global__ void left_edge(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    int left = i > 0 ? in[i - 1] : 0;
#else
    int left = in[i - 1]; // MISTAKE
#endif
    out[i] = left + in[i];
}

//# mistake right_edge: a stencil over rows reaches past the last row's end
//# launch --grid 2,3 --block 32,16 --arg i32[1665]=iota --arg i32[1665]=poison --arg i32=37 --arg i32=45
//# finds out_of_bounds
//# gives 1 with_right_neighbour
extern "C" __global__ void right_edge(const int* in, int* out, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
#ifdef FIXED
    int right = x + 1 < columns ? in[y * columns + x + 1] : 0;
#else
    int right = in[y * columns + x + 1]; // MISTAKE
#endif
    out[y * columns + x] = in[y * columns + x] + right;
}

//# mistake unsigned_underflow: 0u - 1 is 4294967295
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg u32=100
//# finds out_of_bounds
//# gives 1 with_left_neighbour
extern "C" __global__ void unsigned_underflow(const int* in, int* out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    int left = i > 0 ? in[i - 1] : 0;
#else
    int left = in[i - 1]; // MISTAKE
#endif
    out[i] = left + in[i];
}

//# mistake index_overflow: a fixed-point product of 32 bits is negative from element 2048 on
//# launch --grid 24 --block 128 --arg i32[3000]=iota --arg i32[3000]=poison --arg i32=3000 --arg i32=1048576
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void index_overflow(const int* in, int* out, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    int source = (long long)i * step >> 20;
#else
    int source = i * step >> 20;
#endif
    out[i] = in[source]; // MISTAKE
}

//# mistake negative_modulo: in C++ (0 - 3) % n is -3
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 delayed_by_three
extern "C" __global__ void negative_modulo(const int* ring, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    int slot = (i - 3 + n) % n;
#else
    int slot = (i - 3) % n;
#endif
    out[i] = ring[slot]; // MISTAKE
}

//# mistake ring_too_long: the ring wraps one slot too late
//# launch --grid 4 --block 32 --arg i32[100]=iota --arg i32[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 ahead_by_three
extern "C" __global__ void ring_too_long(const int* ring, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    int slot = (i + 3) % n;
#else
    int slot = (i + 3) % (n + 1);
#endif
    out[i] = ring[slot]; // MISTAKE
}

//# mistake bytes_for_elements: pointer arithmetic counts elements, so the 4 is counted twice
//# launch --grid 4 --block 32 --arg f32[100]=iota --arg f32[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void bytes_for_elements(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    out[i] = *(in + i);
#else
    out[i] = *(in + i * sizeof(float)); // MISTAKE
#endif
}

//# mistake add_on_load: the second of two elements that each thread adds up may be past the end
//# launch --grid 2 --block 64 --arg i32[201]=iota --arg i32[128]=poison --arg i32=201
//# finds out_of_bounds
//# gives 1 pairs_added
extern "C" __global__ void add_on_load(const int* in, int* out, int n) {
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    int sum = i < n ? in[i] : 0;
#ifdef FIXED
    if (i + blockDim.x < n)
#endif
        sum += in[i + blockDim.x]; // MISTAKE
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

//# mistake unrolled_tail: four elements a thread, but only the first is tested
//# launch --grid 1 --block 32 --arg i32[102]=iota --arg i32[102]=poison --arg i32=102
//# finds out_of_bounds
//# gives 1 copy
extern "C" __global__ void unrolled_tail(const int* in, int* out, int n) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first >= n) return;
    for (int i = first; i < first + 4; ++i) {
#ifdef FIXED
        if (i < n)
#endif
            out[i] = in[i]; // MISTAKE
    }
}

//# mistake float4_tail: the last float4 is only half in the buffer
//# launch --grid 1 --block 32 --arg f32[126]=iota --arg f32[32]=poison --arg i32=126
//# finds out_of_bounds
//# gives 1 sums_of_four
extern "C" __global__ void float4_tail(const float* in, float* out, int n) {
    int i = threadIdx.x;
    if (4 * i >= n) return;
#ifdef FIXED
    if (4 * i + 3 >= n) {
        float sum = 0;
        for (int k = 4 * i; k < n; ++k) sum += in[k];
        out[i] = sum;
        return;
    }
#endif
    float4 v = ((const float4*)in)[i]; // MISTAKE
    out[i] = v.x + v.y + v.z + v.w;
}

__constant__ int weights[5] = {1, 4, 6, 4, 1};

//# mistake constant_table: five weights, and the loop takes a sixth
//# launch --grid 4 --block 32 --arg i32[104]=iota --arg i32[100]=poison --arg i32=100 --arg i32=2
//# finds out_of_bounds
//# gives 1 weighted
extern "C" __global__ void constant_table(const int* in, int* out, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
#ifdef FIXED
    int taps = 2 * radius + 1;
#else
    int taps = 2 * radius + 2;
#endif
    for (int k = 0; k < taps; ++k) sum += weights[k] * in[i + k]; // MISTAKE
    out[i] = sum;
}

//# mistake local_array: the largest digit is 9, and there are nine counters
//# launch --grid 1 --block 64 --arg u32[50]=iota --arg i32[50]=poison --arg i32=50
//# finds out_of_bounds
//# gives 1 most_frequent_digit
extern "C" __global__ void local_array(const unsigned* in, int* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    const int digits = 10;
#else
    const int digits = 9;
#endif
    int count[digits];
    for (int k = 0; k < digits; ++k) count[k] = 0;
    for (unsigned v = in[i]; v > 0; v /= 10) count[v % 10] += 1; // MISTAKE
    int most = 0;
    for (int k = 1; k < digits; ++k) if (count[k] > count[most]) most = k;
    out[i] = most;
}

__device__ int lookup[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

//# mistake unmasked_lookup: the table has 16 entries, and a byte has 256 values
//# launch --grid 4 --block 32 --arg u8[100]=random:3 --arg u8[100]=poison --arg i32=100
//# finds out_of_bounds
//# gives 1 bits_of_nibble
extern "C" __global__ void unmasked_lookup(const unsigned char* in, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    out[i] = lookup[in[i] & 15];
#else
    out[i] = lookup[in[i]]; // MISTAKE
#endif
}

//# mistake add_on_load_without_test: each thread adds two elements as it loads them, of which the last block has fewer left
//# launch --grid 3 --block 64 --arg i32[300]=iota --arg i32[3]=poison --arg i32=300
//# finds out_of_bounds
//# gives 1 block_sums 128
extern "C" __global__ void add_on_load_without_test(const int* in, int* out, int n) {
    __shared__ int sums[64];
    int i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
#ifdef FIXED
    sums[threadIdx.x] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
#else
    sums[threadIdx.x] = in[i] + in[i + blockDim.x]; // MISTAKE
#endif
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
