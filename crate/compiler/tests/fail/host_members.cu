// Members without `__device__` are the host's.
struct Plain {
    float v;
    Plain(float a) : v(a) {}
    Plain(const Plain&) = default;
    float get() const { return v; }
    float set(float a) { return v = a; }
    __device__ float half() { return v / 2; }
};
extern "C" __global__ void k(float* x, const Plain p)
{
    Plain q(3);
    x[0] = p.get();
    x[1] = p.half();
}
