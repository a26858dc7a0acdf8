// Vectors that are not aligned, and pointers that point nowhere.

//# mistake odd_float4: a float4 that starts at the second float
//# launch --grid 1 --block 24 --arg f32[104]=iota --arg f32[24]=poison
//# finds misaligned
//# gives 1 sums_of_four_from_one
extern "C" __global__ void odd_float4(const float* in, float* out) {
    int i = threadIdx.x;
#ifdef FIXED
    const float* v = in + 4 * i + 1;
    out[i] = v[0] + v[1] + v[2] + v[3];
#else
    float4 v = *(const float4*)(in + 4 * i + 1); // MISTAKE
    out[i] = v.x + v.y + v.z + v.w;
#endif
}

//# mistake float4_rows: rows of 45 floats do not start at multiples of four
//# launch --grid 1 --block 8,5 --arg f32[225]=iota --arg f32[40]=poison --arg i32=45
//# finds misaligned
//# gives 1 row_sums_of_four
extern "C" __global__ void float4_rows(const float* in, float* out, int columns) {
    const float* row = in + threadIdx.y * columns;
    int x = threadIdx.x;
#ifdef FIXED
    float sum = row[4 * x] + row[4 * x + 1] + row[4 * x + 2] + row[4 * x + 3];
#else
    float4 v = ((const float4*)row)[x]; // MISTAKE
    float sum = v.x + v.y + v.z + v.w;
#endif
    out[threadIdx.y * blockDim.x + x] = sum;
}

//# mistake odd_double2: every second pair starts at an odd double
//# launch --grid 1 --block 50 --arg f64[51]=iota --arg f64[50]=poison
//# finds misaligned
//# gives 1 doubles_added
extern "C" __global__ void odd_double2(const double* in, double* out) {
    int i = threadIdx.x;
#ifdef FIXED
    out[i] = in[i] + in[i + 1];
#else
    double2 v = *(const double2*)(in + i); // MISTAKE
    out[i] = v.x + v.y;
#endif
}

//# mistake odd_int2_store: pairs are stored at odd ints
//# launch --grid 1 --block 20 --arg i32[41]=poison
//# finds misaligned
//# gives 0 pairs_from_one
extern "C" __global__ void odd_int2_store(int* out) {
    int i = threadIdx.x;
    if (i == 0) out[0] = 0;
#ifdef FIXED
    out[2 * i + 1] = i;
    out[2 * i + 2] = -i;
#else
    *(int2*)(out + 2 * i + 1) = make_int2(i, -i); // MISTAKE
#endif
}

//# mistake int_in_bytes: records of 5 bytes hold an int at no multiple of 4
//# launch --grid 1 --block 40 --arg u8[200]=iota --arg i32[40]=poison
//# finds misaligned
//# gives 1 packed_ints
extern "C" __global__ void int_in_bytes(const unsigned char* in, int* out) {
    const unsigned char* record = in + 5 * threadIdx.x;
#ifdef FIXED
    unsigned value = record[1] | record[2] << 8 | record[3] << 16 | (unsigned)record[4] << 24;
    out[threadIdx.x] = value;
#else
    out[threadIdx.x] = *(const int*)(record + 1); // MISTAKE
#endif
}

//# mistake elements_for_bytes: a char pointer counts bytes, and i is an element
//# launch --grid 4 --block 32 --arg f32[100]=iota --arg f32[100]=poison --arg i32=100
//# finds misaligned
//# gives 1 copy
extern "C" __global__ void elements_for_bytes(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    out[i] = *(const float*)((const char*)in + i * sizeof(float));
#else
    out[i] = *(const float*)((const char*)in + i); // MISTAKE
#endif
}

//# mistake shared_float4_rows: a padded row of 33 floats is no row of float4
//# launch --grid 1 --block 8,6 --arg f32[192]=iota --arg f32[48]=poison
//# finds misaligned
//# gives 1 sums_of_four
extern "C" __global__ void shared_float4_rows(const float* in, float* out) {
#ifdef FIXED
    __shared__ __align__(16) float tile[6][36];
#else
    __shared__ __align__(16) float tile[6][33];
#endif
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < 4; ++k) tile[y][x + 8 * k] = in[y * 32 + x + 8 * k];
    __syncthreads();
    float4 v = *(const float4*)&tile[y][4 * x]; // MISTAKE
    out[y * 8 + x] = v.x + v.y + v.z + v.w;
}

//# mistake misaligned_atomic: a 64-bit counter behind a 32-bit one
//# launch --grid 1 --block 50 --arg u32[4]=zero
//# finds misaligned
//# gives 0 count_of_fifty
extern "C" __global__ void misaligned_atomic(unsigned* counts) {
#ifdef FIXED
    atomicAdd((unsigned long long*)(counts + 2), 1ull);
#else
    atomicAdd((unsigned long long*)(counts + 1), 1ull); // MISTAKE
#endif
}

//# mistake null_pointer: nobody has allocated the output
//# launch --grid 2 --block 32 --arg i32[50]=iota --arg u64=0 --arg i32=50
//# fixed --grid 2 --block 32 --arg i32[50]=iota --arg i32[50]=poison --arg i32=50
//# finds invalid_address
//# gives 1 copy
extern "C" __global__ void null_pointer(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i]; // MISTAKE
}

//# mistake host_pointer: the pointer is one of the host's
//# launch --grid 2 --block 32 --arg u64=0x7ffd2a3b4c50 --arg i32[50]=poison --arg i32=50
//# fixed --grid 2 --block 32 --arg i32[50]=iota --arg i32[50]=poison --arg i32=50
//# finds invalid_address
//# gives 1 copy
extern "C" __global__ void host_pointer(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i]; // MISTAKE
}

//# mistake lost_half: a pointer kept in 32 bits has lost its upper half
//# launch --grid 2 --block 32 --arg i32[50]=iota --arg i32[50]=poison --arg i32=50
//# finds invalid_address
//# gives 1 copy
extern "C" __global__ void lost_half(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    unsigned long long kept = (unsigned long long)in;
#else
    unsigned kept = (unsigned long long)in;
#endif
    if (i < n) out[i] = ((const int*)(unsigned long long)kept)[i]; // MISTAKE
}
