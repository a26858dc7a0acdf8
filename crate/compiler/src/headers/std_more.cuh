// More of `cuda/std/`: bits of numbers, traits that are asked now and then, functions as objects, sequences of numbers.
namespace cuda { namespace std {
template <typename T> __device__ constexpr int popcount(T v) { if constexpr (sizeof(T) == 8) return __popcll(v); else return __popc((unsigned)v); }
template <typename T> __device__ constexpr int countl_zero(T v) { if constexpr (sizeof(T) == 8) return __clzll(v); else return __clz((unsigned)v) - (32 - 8 * (int)sizeof(T)); }
template <typename T> __device__ constexpr int countl_one(T v) { return countl_zero((T)~v); }
template <typename T> __device__ constexpr int countr_zero(T v) { if constexpr (sizeof(T) == 8) return v ? __ffsll(v) - 1 : 64; else return v ? __ffs((unsigned)v) - 1 : 8 * (int)sizeof(T); }
template <typename T> __device__ constexpr int countr_one(T v) { return countr_zero((T)~v); }
template <typename T> __device__ constexpr int bit_width(T v) { return 8 * (int)sizeof(T) - countl_zero(v); }
template <typename T> __device__ constexpr bool has_single_bit(T v) { return v != 0 && (v & (v - 1)) == 0; }
template <typename T> __device__ constexpr T bit_ceil(T v) { return v <= 1 ? (T)1 : (T)((T)1 << bit_width((T)(v - 1))); }
template <typename T> __device__ constexpr T bit_floor(T v) { return v == 0 ? (T)0 : (T)((T)1 << (bit_width(v) - 1)); }
template <typename T> __device__ constexpr T rotr(T v, int by);
template <typename T> __device__ constexpr T rotl(T v, int by) { const int n = 8 * (int)sizeof(T), r = by % n; return r == 0 ? v : r > 0 ? (T)(v << r | v >> (n - r)) : (T)(v >> -r | v << (n + r)); }
template <typename T> __device__ constexpr T rotr(T v, int by) { return rotl(v, -by); }
template <typename To, typename From> __device__ inline To bit_cast(const From& v) { To made; memcpy(&made, &v, sizeof(To)); return made; }

template <typename T, typename U = T> __device__ constexpr T exchange(T& a, U b) { T kept = a; a = b; return kept; }
template <typename T> __device__ constexpr const T& as_const(T& v) { return v; }

template <typename T> constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <typename T> struct is_arithmetic { static constexpr bool value = is_arithmetic_v<T>; };
template <typename T> struct is_pointer : false_type { };
template <typename T> struct is_pointer<T*> : true_type { };
template <typename T> constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> struct is_reference : false_type { };
template <typename T> struct is_reference<T&> : true_type { };
template <typename T> constexpr bool is_reference_v = is_reference<T>::value;
template <typename T> struct is_const : false_type { };
template <typename T> struct is_const<const T> : true_type { };
template <typename T> constexpr bool is_const_v = is_const<T>::value;
template <typename T> constexpr bool is_void_v = is_same<T, void>::value;
template <typename T> struct is_void { static constexpr bool value = is_void_v<T>; };
template <typename T> struct is_array : false_type { };
template <typename T, size_t n> struct is_array<T[n]> : true_type { };
template <typename T> constexpr bool is_array_v = is_array<T>::value;
template <typename T> constexpr bool is_signed_v = is_arithmetic_v<T> && (T)-1 < (T)0;
template <typename T> struct is_signed { static constexpr bool value = is_signed_v<T>; };
template <typename T> constexpr bool is_unsigned_v = is_arithmetic_v<T> && !((T)-1 < (T)0);
template <typename T> struct is_unsigned { static constexpr bool value = is_unsigned_v<T>; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T*> { using type = T; };
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> struct add_pointer { using type = T*; };
template <typename T> using add_pointer_t = T*;
template <typename T> using add_const_t = const T;
template <typename T> struct remove_extent { using type = T; };
template <typename T, size_t n> struct remove_extent<T[n]> { using type = T; };
template <typename T> using remove_extent_t = typename remove_extent<T>::type;
template <size_t n, size_t align = n < 16 ? 8 : 16> struct aligned_storage { struct alignas(align) type { unsigned char __data[n]; }; };
template <size_t n, size_t align = n < 16 ? 8 : 16> using aligned_storage_t = typename aligned_storage<n, align>::type;
template <typename T> struct decay { using type = typename remove_const<typename remove_reference<T>::type>::type; };
template <typename T> struct remove_cv { using type = typename remove_const<T>::type; };
template <typename T> struct type_identity { using type = T; };
template <typename T> using type_identity_t = typename type_identity<T>::type;
template <typename T> struct make_unsigned { using type = T; };
template <> struct make_unsigned<char> { using type = unsigned char; };
template <> struct make_unsigned<signed char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned; };
template <> struct make_unsigned<long> { using type = unsigned long; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> struct make_signed { using type = T; };
template <> struct make_signed<char> { using type = signed char; };
template <> struct make_signed<unsigned char> { using type = signed char; };
template <> struct make_signed<unsigned short> { using type = short; };
template <> struct make_signed<unsigned> { using type = int; };
template <> struct make_signed<unsigned long> { using type = long; };
template <> struct make_signed<unsigned long long> { using type = long long; };
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename A, typename B> struct common_type { using type = decltype(true ? A() : B()); };
template <typename A, typename B> using common_type_t = typename common_type<A, B>::type;
template <typename... T> constexpr bool conjunction_v = (T::value && ...);
template <typename... T> constexpr bool disjunction_v = (T::value || ...);
template <typename T> constexpr bool negation_v = !T::value;
template <typename T> struct negation { static constexpr bool value = !T::value; };

template <typename T> struct divides { __device__ constexpr T operator()(const T& a, const T& b) const { return a / b; } };
template <typename T> struct modulus { __device__ constexpr T operator()(const T& a, const T& b) const { return a % b; } };
template <typename T> struct negate { __device__ constexpr T operator()(const T& a) const { return -a; } };
template <typename T> struct equal_to { __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; } };
template <typename T> struct not_equal_to { __device__ constexpr bool operator()(const T& a, const T& b) const { return a != b; } };
template <typename T> struct less_equal { __device__ constexpr bool operator()(const T& a, const T& b) const { return a <= b; } };
template <typename T> struct greater_equal { __device__ constexpr bool operator()(const T& a, const T& b) const { return a >= b; } };
template <typename T> struct bit_and { __device__ constexpr T operator()(const T& a, const T& b) const { return a & b; } };
template <typename T> struct bit_or { __device__ constexpr T operator()(const T& a, const T& b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ constexpr T operator()(const T& a, const T& b) const { return a ^ b; } };
template <typename T> struct logical_and { __device__ constexpr bool operator()(const T& a, const T& b) const { return a && b; } };
template <typename T> struct logical_or { __device__ constexpr bool operator()(const T& a, const T& b) const { return a || b; } };
template <typename T> struct logical_not { __device__ constexpr bool operator()(const T& a) const { return !a; } };

template <typename T, T... v> struct integer_sequence { using value_type = T; __device__ static constexpr size_t size() { return sizeof...(v); } };
template <size_t... v> using index_sequence = integer_sequence<size_t, v...>;
template <size_t n, size_t... v> struct __indices : __indices<n - 1, n - 1, v...> { };
template <size_t... v> struct __indices<0, v...> { using type = index_sequence<v...>; };
template <size_t n> using make_index_sequence = typename __indices<n>::type;
template <typename... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
} }
