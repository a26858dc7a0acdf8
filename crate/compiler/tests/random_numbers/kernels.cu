// Each kernel draws numbers from a generator that begins at the place of its thread: seed, sequence and offset, three words of
// `places` each. STATE becomes the type of the state.
#include <curand_kernel.h>

__device__ void begin(const unsigned long long* places, STATE* state)
{
    const unsigned long long* place = places + 3 * threadIdx.x;
    curand_init(place[0], place[1], place[2], state);
}
__device__ void store(unsigned long long*& to, double v) { *to++ = (unsigned long long)__double_as_longlong(v); }
__device__ void store(unsigned long long*& to, float v) { *to++ = __float_as_uint(v); }
__device__ void store(unsigned long long*& to, unsigned v) { *to++ = v; }

#define KERNEL(name, count, first, ...) \
    extern "C" __global__ void name(const unsigned long long* places, unsigned long long* out) \
    { \
        STATE state; \
        begin(places, &state); \
        unsigned long long* to = out + 16 * threadIdx.x; \
        first; \
        for (int i = 0; i < count; i++) { \
            __VA_ARGS__; \
        } \
    }

KERNEL(words, 16, , store(to, curand(&state)))
KERNEL(skipped, 16, skipahead(0x123456789abull, &state); skipahead_sequence(77777ull, &state), store(to, curand(&state)))
KERNEL(uniform, 16, , store(to, curand_uniform(&state)))
KERNEL(uniform_double, 16, , store(to, curand_uniform_double(&state)))
KERNEL(normal, 15, store(to, curand(&state)), store(to, curand_normal(&state)))
KERNEL(normal2, 8, , const float2 v = curand_normal2(&state); store(to, v.x); store(to, v.y))
KERNEL(normal_double, 16, , store(to, curand_normal_double(&state)))
KERNEL(normal2_double, 8, , const double2 v = curand_normal2_double(&state); store(to, v.x); store(to, v.y))
KERNEL(log_normal, 16, , store(to, curand_log_normal(&state, 0.5f, 1.5f)))
KERNEL(log_normal2, 8, , const float2 v = curand_log_normal2(&state, 0.5f, 1.5f); store(to, v.x); store(to, v.y))
KERNEL(log_normal_double, 16, , store(to, curand_log_normal_double(&state, 0.5, 1.5)))
KERNEL(log_normal2_double, 8, , const double2 v = curand_log_normal2_double(&state, 0.5, 1.5); store(to, v.x); store(to, v.y))
KERNEL(in_turns, 4, , store(to, curand_normal(&state)); store(to, curand_log_normal(&state, 0.0f, 1.0f)); store(to, curand_normal_double(&state)); store(to, curand_uniform(&state)))
KERNEL(poisson_few, 16, , store(to, curand_poisson(&state, 3.7)))
KERNEL(poisson_some, 16, , store(to, curand_poisson(&state, 64.0 + 37.0 * i)))
KERNEL(poisson_many, 16, , store(to, curand_poisson(&state, 12345.6)))
