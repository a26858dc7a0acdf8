// What the headers of `cuda/` have in common: scopes, orders, and names of PTX that templates put into instructions.
struct __ptx_cta { };
struct __ptx_gpu { };
struct __ptx_sys { };
struct __ptx_relaxed { };
struct __ptx_acquire { };
struct __ptx_release { };
struct __ptx_acq_rel { };
struct __ptx_sc { };

namespace cuda {
namespace std {}
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}

template <int scope> struct __scope { using type = __ptx_cta; };
template <> struct __scope<cuda::thread_scope_system> { using type = __ptx_sys; };
template <> struct __scope<cuda::thread_scope_device> { using type = __ptx_gpu; };

template <typename T> __device__ constexpr T&& move(T& v) { return (T&&)v; }
template <typename T> __device__ constexpr T&& forward(T& v) { return (T&&)v; }
