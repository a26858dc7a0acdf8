// CUDA's functions, and lambdas that capture nothing, handed over, kept in tables and members, and chosen while the kernel runs.
//# block 64
__device__ float relu(float x) { return x > 0 ? x : 0; }
using Activation = float (*)(float);
__device__ Activation activations[] = { relu, tanhf, &sinf, fabsf, __expf };
struct Layer { Activation f; float bias; };

template <Activation F, class Other> __device__ float both(float x, Other other) { return F(x) * other(x, 2.5f); }
template <float (*Op)(float, float)> __device__ float of_warp(float v)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        v = Op(v, __shfl_xor_sync(0xffffffff, v, lanes));
    return v;
}
template <class T, T (*F)(T)> struct Map { __device__ static T run(T x) { return F(x); } };
__device__ float fold(const float* x, int n, float (*op)(float, float), float v)
{
    for (int i = 0; i < n; ++i)
        v = op(v, x[i]);
    return v;
}
__device__ int count(int (*bits)(unsigned), unsigned v) { return bits(v); }
// These names are the source's own.
__device__ float own(float x, float expf) { return x * expf; }

extern "C" __global__ void test(const float* __restrict__ in, float* __restrict__ out, unsigned items)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i % items];
    auto f = sinf;
    constexpr Activation g = &cosf;
    const Layer layer{i % 3 == 0 ? sqrtf : logf, 0.5f};
    float (*bound)(float, float) = i % 2 ? fmaxf : fminf;
    const Activation one = activations[i % 5];
    float sum = f(x) + g(x) + layer.f(x * x + 1) + layer.bias + one(x) + bound(x, 0.1f);
    sum += both<erff>(x, powf) + of_warp<fmaxf>(x) - of_warp<fminf>(x) + Map<float, rsqrtf>::run(x * x + 1);
    sum += fold(in, 5, fmaxf, -1e30f) + fold(in, 5, [](float a, float b) { return a - b; }, 1.0f) + count(__popc, i);
    float floorf = 2;
    sum += own(x, floorf) + (one == tanhf ? 3 : 0) + (+[](float v) { return v * 4; })(x);
    if (one == relu)
        sum += 1;
    if (i < items)
        out[i] = sum;
}
