// What is wrong with packs of parameters.
template <typename... Ts> __device__ float product(Ts... v) { return (v * ...); }
template <int... A> struct Numbers { };
template <int... A, int... B> __device__ int both(Numbers<A...>, Numbers<B...>) { return ((A * B) + ...); }

extern "C" __global__ void k(float* x, int* n)
{
    x[0] = product();
    n[0] = both(Numbers<1, 2>(), Numbers<3>());
    n[1] = twice(n...);
}
