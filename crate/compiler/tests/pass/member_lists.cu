// Members and bases that begin with lists in braces behind the parameters of a constructor.
//# block 32
struct Pair { float a; int b; };
struct Base { float s; __device__ Base(float s, int k) : s{s * k} {} };
struct Other { float v; __device__ explicit Other(float v) : v(v) {} };
template <class T> struct All : Base {
    uint4 words; float3 point; T list[4]; Pair pair; Pair copy; Other other; int n; Pair nested[2]; const float* p;
    __device__ All(unsigned i, const float* in, const Pair& q)
        : Base{in[0], 3}, words{i, i + 1, 2}, point{in[1], in[2], 1.5f}, list{T(in[3]), T(2)}, pair{in[4], 5}, copy{q}, other{in[5]}, n{int(i)}, nested{{in[6], 1}, {2.0f}}, p{in}
    {
    }
    __device__ float sum() const { return s + words.x + words.z + words.w + point.x * point.y + point.z + list[0] + list[1] + list[3] + pair.a + pair.b + copy.a + copy.b + other.v + n + nested[0].a + nested[1].b + p[7]; }
};
extern "C" __global__ void test(const float* in, float* out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 8 >= items) return;
    const All<float> all(i, in + i, Pair{in[i], 4});
    const All<double> more{i, in + i, {1.0f, 2}};
    out[i] = all.sum() - more.sum() * 2;
}
