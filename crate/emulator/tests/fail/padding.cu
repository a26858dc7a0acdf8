// Structures whose padding nobody writes: they may be copied with it, but it may not be used.

struct Weighed { int value; double weight; };   // 4 bytes of padding in the middle
struct Tagged { char tag; int number; };        // 3 bytes
struct __align__(16) Point { float x, y, z; };  // 4 bytes at the end

//# mistake sum_of_words: a checksum takes the padding of the structures in
//# launch --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=poison
//# finds uninitialized
//# gives 1 reversed 64
extern "C" __global__ void sum_of_words(const int* in, int* out) {
    __shared__ __align__(16) Weighed all[64], copies[64];
    int i = threadIdx.x;
    all[i].value = in[i];
    all[i].weight = 0.5 * in[i];
    __syncthreads();
    int4 words = *(const int4*)&all[63 - i]; // MISTAKE
    *(int4*)&copies[i] = words;
#ifdef FIXED
    out[i] = copies[i].value;
#else
    out[i] = words.x ^ words.y ^ words.z ^ words.w; // MISTAKE
#endif
}

//# mistake compared_as_bytes: two structures are compared as the words that they are stored in
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg u8[256]=poison --arg i32[32]=poison
//# finds uninitialized
//# gives 2 reversed 32
extern "C" __global__ void compared_as_bytes(const int* in, void* scratch, int* out) {
    Tagged* all = (Tagged*)scratch;
    int i = threadIdx.x;
    all[i].tag = 'a';
    all[i].number = in[i];
    __syncthreads();
    unsigned long long mine = *(unsigned long long*)&all[i], other = *(unsigned long long*)&all[31 - i]; // MISTAKE
    unsigned long long none = 0;
#ifdef FIXED
    out[i] = (int)((i == 99 ? mine + none : other) >> 32);
#else
    out[i] = mine == other ? 0 : (int)(other >> 32); // MISTAKE
#endif
}

//# mistake local_words: the hash of a structure in an array of the thread
//# launch --grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=poison --arg i32=3
//# finds uninitialized
//# gives 1 reversed 32
extern "C" __global__ void local_words(const int* in, int* out, int at) {
    __align__(16) Weighed own[4];
    int i = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        own[(k + i) % 4].value = in[31 - i];
        own[(k + i) % 4].weight = k;
    }
#ifdef FIXED
    Weighed one = own[at];
    own[(at + i) % 4] = one;
    out[i] = own[(at + i) % 4].value;
#else
    int4 words = *(int4*)&own[at]; // MISTAKE
    out[i] = words.x + words.y + words.z; // MISTAKE
#endif
}

//# mistake fourth_component: a vector of three floats lies in memory as four, and the fourth is added too
//# launch --grid 1 --block 32 --arg f32[96]=iota --arg f32[128]=poison --arg f32[32]=poison
//# finds uninitialized
//# gives 2 sums_of_three
extern "C" __global__ void fourth_component(const float* in, void* scratch, float* out) {
    Point* points = (Point*)scratch;
    __shared__ Point tile[32];
    int i = threadIdx.x;
    points[i].x = in[3 * i];
    points[i].y = in[3 * i + 1];
    points[i].z = in[3 * i + 2];
    __syncthreads();
    tile[i] = points[i];
    __syncthreads();
    Point copy = tile[i];
    float4 all = *(float4*)&points[i]; // MISTAKE
#ifdef FIXED
    out[i] = copy.x + all.y + copy.z;
#else
    out[i] = all.x + all.y + all.z + all.w; // MISTAKE
#endif
}
