// launch: --grid 1,1,3 --block 8,8 --arg f32[160]=random:1 --arg f32[192]=zero --arg i32=8 --arg i32=8
// finds: out_of_bounds
// three images; the second and third begin a pitch of `w * h` further
template <class T> struct Batch { T* p; int w, h; __device__ T& operator()(int b, int y, int x) { return p[(b * h + y) * w + x]; } }; //!
__global__ void copy(const float* in, float* out, int w, int h) {
    Batch<const float> a{in, w, h};
    Batch<float> o{out, w, h};
    o(blockIdx.z, threadIdx.y, threadIdx.x) = a(blockIdx.z, threadIdx.y, threadIdx.x); //!
}
