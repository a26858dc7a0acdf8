// What beginners write: each is told with what was probably meant, and nothing else is told of it.
__global__ kernel(float* x) { x[0] = 1; }

extern "C" __global__ void test(const float* in, float* out, int n)
{
    float4 short_by_one = make_float4(1, 2, 3);
    float2 called = float2(1, 2);
    float x = (flaot)in[0];
    int i == threadIdx.x;
    std::string name = "a";
    std::vector<float> v(3);
    float twice(float y) { return 2 * y; }
    if ((n > 3) out[0] = in[0];
    if (n > 1) out[0] = 1; elseif (n > 0) out[0] = 2;
    out[0] = __shfl_down(in[0], 1);
    out[threadIdx.x][threadIdx.y] = in[0];
    int first = threadIdx * 2;
    int* words = in;
    __shared__ float tile[n];
    tile[0] = in[0];
    out[1] = in[0]；
    out[2] = x + i + called.x + twice(1) + short_by_one.x;
    cout(“hi”);
}
