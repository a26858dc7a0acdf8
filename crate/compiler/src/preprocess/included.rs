//! What becomes of a header that a source includes, and what its names stand for. C's constants are in `limits_of_types`.

/// What a header is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// Its contents are known without it.
    BuiltIn,
    /// Only functions of the host use it: it is passed over.
    OfHost,
    /// A part of C++'s library of which the part of `cuda/std/` with this name stands for what kernels may use.
    Std(&'static str),
    /// NVIDIA's compiler has it, and ours does not.
    Gap,
    Unknown,
}

const BUILT_IN: [&str; 23] = [
    "cuda_runtime.h",
    "device_launch_parameters.h",
    "cuda_runtime_api.h",
    "vector_types.h",
    "vector_functions.h",
    "assert.h",
    "cassert",
    "stdio.h",
    "cstdio",
    "stdlib.h",
    "math.h",
    "cmath",
    "cstdint",
    "stdint.h",
    "cstddef",
    "stddef.h",
    "climits",
    "limits.h",
    "cfloat",
    "float.h",
    "sm_30_intrinsics.h",
    "device_functions.h",
    "device_atomic_functions.h",
];

const GAPS: [&str; 2] = ["cuda_fp6.h", "cuda_fp4.h"];
const GAP_FOLDERS: [&str; 3] = ["cuda/", "cooperative_groups/", "cub/"];

/// Headers of C++ that kernels take types and constants from.
const STD: [&str; 7] = [
    "array",
    "complex",
    "limits",
    "optional",
    "tuple",
    "type_traits",
    "utility",
];

/// Headers of C++'s library for the host, and what C calls them.
const OF_CPP: &str = "algorithm any atomic barrier bitset cctype cerrno cfenv charconv chrono cinttypes ciso646 clocale \
    codecvt compare complex.h concepts condition_variable csetjmp csignal cstdarg cstdbool cstdlib cstring ctgmath ctime cuchar \
    cwchar cwctype deque exception execution filesystem format forward_list fstream functional future initializer_list \
    iomanip ios iosfwd iostream istream iterator latch list locale map memory memory_resource mutex new numbers numeric \
    ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack \
    stdexcept stop_token streambuf string string_view strstream syncstream system_error thread typeindex typeinfo \
    unordered_map unordered_set valarray variant vector version bit";

/// Headers of C and of POSIX.
const OF_C: &str = "alloca.h complex.h ctype.h dirent.h dlfcn.h endian.h err.h errno.h execinfo.h fcntl.h fenv.h getopt.h \
    glob.h inttypes.h io.h iso646.h libgen.h locale.h malloc.h memory.h netdb.h numa.h omp.h poll.h pthread.h pwd.h regex.h \
    sched.h semaphore.h setjmp.h signal.h stdarg.h stdatomic.h stdbool.h string.h strings.h syslog.h termios.h tgmath.h time.h \
    unistd.h values.h wchar.h wctype.h windows.h x86intrin.h immintrin.h mpi.h zlib.h conio.h process.h direct.h";

/// Headers of CUDA's libraries for the host.
const OF_CUDA: &str = "cublas.h cublas_v2.h cublasLt.h cublasXt.h cuda_gl_interop.h cuda_profiler_api.h cudaProfiler.h \
    cudnn.h cufft.h cufftw.h cufftXt.h cufile.h cupti.h curand.h cusolverDn.h cusolverSp.h cusolver_common.h cusparse.h \
    cusparse_v2.h driver_types.h nccl.h npp.h nvJitLink.h nvToolsExt.h nvml.h nvrtc.h exception.h helper_cuda.h \
    helper_cuda_drvapi.h helper_functions.h helper_image.h helper_string.h helper_timer.h";

/// Folders whose headers are the host's.
const HOST_FOLDERS: [&str; 10] = [
    "thrust/", "sys/", "boost/", "arpa/", "netinet/", "nvtx3/", "GL/", "opencv2/", "Eigen/",
    "linux/",
];

/// What a header of this name is.
pub(crate) fn kind(name: &str) -> Header {
    let of_host = [OF_CPP, OF_C, OF_CUDA];
    let is_of_host = || {
        of_host
            .iter()
            .any(|names| names.split(' ').any(|known| known == name))
    };
    let begins = |folders: &[&str]| folders.iter().any(|folder| name.starts_with(folder));
    if BUILT_IN.contains(&name) {
        return Header::BuiltIn;
    }
    if let Some(part) = STD.iter().find(|part| **part == name) {
        return Header::Std(part);
    }
    if is_of_host() || begins(&HOST_FOLDERS) {
        return Header::OfHost;
    }
    match GAPS.contains(&name) || begins(&GAP_FOLDERS) {
        true => Header::Gap,
        false => Header::Unknown,
    }
}

/// Numbers of CUDA's headers for the host, beside those of C, which every source has.
pub(super) const NUMBERS: [(&str, &str); 3] = [
    ("cudaSuccess", "0"),
    ("CUDART_VERSION", "13000"),
    ("CUDA_VERSION", "13000"),
];

/// Macros with one argument by which a number gets its type, and what stands behind the number then.
pub(super) const TYPED: [(&str, &str); 8] = [
    ("INT8_C", ""),
    ("INT16_C", ""),
    ("INT32_C", ""),
    ("INT64_C", "l"),
    ("UINT8_C", ""),
    ("UINT16_C", ""),
    ("UINT32_C", "u"),
    ("UINT64_C", "ul"),
];

/// Types of whole numbers that are the same in `std` and outside.
pub(crate) const NUMBER_TYPES: [&str; 14] = [
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "intptr_t",
    "nullptr_t",
    "ptrdiff_t",
    "size_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uintptr_t",
    "uintmax_t",
];

/// What many headers of C++ declare beside their own.
pub(crate) const TRAITS: [&str; 20] = [
    "aligned_storage",
    "aligned_storage_t",
    "conditional",
    "conditional_t",
    "decay_t",
    "enable_if",
    "enable_if_t",
    "false_type",
    "index_sequence",
    "integral_constant",
    "is_floating_point",
    "is_floating_point_v",
    "is_integral",
    "is_integral_v",
    "is_pointer",
    "is_same",
    "is_same_v",
    "make_index_sequence",
    "numeric_limits",
    "true_type",
];

/// Functions of numbers that kernels may call with `std::` before them where nvcc compiles, which has headers for that.
pub(crate) const MATHS: [&str; 30] = [
    "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "floor", "fma", "fmod", "hypot", "isfinite", "isinf", "isnan", "log",
    "log10", "log1p", "log2", "pow", "sin", "sqrt", "tanh",
];
