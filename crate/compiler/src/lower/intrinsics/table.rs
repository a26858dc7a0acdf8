//! The names of functions that CUDA has by itself and that are no row of `ir::intrinsics`: those with code of their own, those of
//! both floating types, and those that we do not have.

use crate::syntax::Scalar;

/// Functions with code of their own below.
pub(in crate::lower) const MORE: [&str; 55] = [
    "min",
    "max",
    "abs",
    "fabsf",
    "fabs",
    "fminf",
    "fmaxf",
    "fmin",
    "fmax",
    "sqrtf",
    "sqrt",
    "fmaf",
    "fma",
    "umin",
    "umax",
    "llmin",
    "llmax",
    "ullmin",
    "ullmax",
    "__byte_perm",
    "__match_any_sync",
    "__match_all_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__ldg",
    "__ldcg",
    "__ldca",
    "__ldcs",
    "__ldlu",
    "__ldcv",
    "__stcg",
    "__stcs",
    "__stwb",
    "__stwt",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__float_as_uint",
    "__float_as_int",
    "__uint_as_float",
    "__int_as_float",
    "__double_as_longlong",
    "__longlong_as_double",
    "__cvta_generic_to_shared",
    "__cvta_generic_to_global",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "malloc",
    "free",
    "__logf",
    "__log10f",
];

/// What to do instead of what only the host has.
pub(in crate::lower) fn host_only(name: &str) -> Option<&'static str> {
    Some(match name {
        "fprintf" | "puts" => {
            "write what you want to know into a buffer, and look at it after the launch"
        }
        "cudaMalloc" | "cudaFree" | "cudaMallocManaged" | "cudaMallocAsync" => {
            "the host allocates before the launch and hands over the pointer"
        }
        "cudaMemcpy" | "cudaMemcpyAsync" | "cudaMemset" => {
            "the host copies before or after the launch; in the kernel assign elements"
        }
        "cudaDeviceSynchronize" | "cudaStreamSynchronize" => {
            "`__syncthreads()` waits for the block; only the host waits for a kernel"
        }
        "exit" | "abort" => "use `return`, or `__trap()` to stop the whole launch",
        "cout" | "cerr" | "endl" | "print" | "println" | "System" | "console" => {
            "write with `printf`"
        }
        "len" => {
            "an array's elements are counted by `sizeof(a) / sizeof(a[0])`; those behind a pointer by a parameter"
        }
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "None" | "null" | "nil" => "write `nullptr`",
        "popcount" => "call `__popc`, or `__popcll` for 64 bits",
        "get_global_id" | "get_local_id" | "get_group_id" => {
            "that is OpenCL: write `threadIdx.x` or `blockIdx.x * blockDim.x + threadIdx.x`"
        }
        "rand" | "srand" | "time" => {
            "`#include <curand_kernel.h>` has generators for kernels; or the host hands over random numbers"
        }
        "std" => "kernels have no standard library here; CUDA's own functions do without `std::`",
        _ => return None,
    })
}

/// Functions that `float` and `double` have under one name, and those of `float` that are not there.
pub(in crate::lower) const OF_BOTH: [&str; 77] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cyl_bessel_i0",
    "cyl_bessel_i1",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fdim",
    "floor",
    "fmod",
    "frexp",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nearbyint",
    "nextafter",
    "norm",
    "norm3d",
    "norm4d",
    "normcdf",
    "normcdfinv",
    "pow",
    "rcbrt",
    "remainder",
    "remquo",
    "rhypot",
    "rint",
    "rnorm",
    "rnorm3d",
    "rnorm4d",
    "round",
    "rsqrt",
    "scalbln",
    "scalbn",
    "sin",
    "sincos",
    "sincospi",
    "sinh",
    "sinpi",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
];

/// Whether a function is one of those.
pub(in crate::lower) fn is_of_both(name: &str) -> bool {
    OF_BOTH.contains(&name)
}

/// Whether a function of `float` and `double` takes integers besides.
pub(in crate::lower) fn takes_integers(name: &str) -> bool {
    matches!(
        name,
        "ldexp" | "scalbn" | "scalbln" | "frexp" | "remquo" | "jn" | "yn" | "norm" | "rnorm"
    )
}

/// Whether a name looks like a function that CUDA has and we do not: of numbers side by side in a word, of small floats,
/// of surfaces and textures and the like.
pub(in crate::lower) fn is_of_cuda(name: &str) -> bool {
    let of_words = |rest: &str| {
        let base = rest.trim_end_matches(['2', '4']);
        let starts = [
            "abs", "add", "avg", "cmp", "had", "max", "min", "neg", "sad", "set", "sub", "i",
        ];
        base.len() < rest.len() && starts.iter().any(|start| rest.starts_with(start))
    };
    let starts = [
        "__half",
        "__bfloat",
        "__float",
        "__double",
        "__nv_",
        "__dp2a",
        "__reduce_",
        "__match_",
        "__ll2",
        "__ull2",
        "__uint2",
        "__int2",
        "__ushort2",
        "__short2",
        "__hadd",
        "__uhadd",
        "__rhadd",
        "__urhadd",
        "__hmax",
        "__hmin",
        "__hfma",
        "__hmul",
        "__hsub",
        "__cluster",
        "tex1D",
        "tex2D",
        "tex3D",
        "texCubemap",
        "surf",
        "atomic",
        "__stc",
        "__ldc",
        "__funnel",
    ];
    let of_float = ["j0f", "j1f", "jnf", "y0f", "y1f", "ynf"];
    let halves = [
        "hsin", "hcos", "htanh", "hexp", "hexp2", "hexp10", "hlog", "hlog2", "hlog10", "hsqrt",
        "hrsqrt", "hrcp", "hceil", "hfloor", "hrint", "htrunc", "h2sin", "h2cos", "h2tanh",
        "h2exp", "h2exp2", "h2exp10", "h2log", "h2log2", "h2log10", "h2sqrt", "h2rsqrt", "h2rcp",
    ];
    name.strip_prefix("__v").is_some_and(of_words)
        || halves.contains(&name)
        || of_float.contains(&name)
        || starts.iter().any(|start| name.starts_with(start))
}

pub(in crate::lower) fn scalar_of(letter: char) -> Option<Scalar> {
    Some(match letter {
        'i' => Scalar::Int,
        'u' => Scalar::UInt,
        'l' => Scalar::LongLong,
        'L' => Scalar::ULongLong,
        'f' => Scalar::Float,
        'd' => Scalar::Double,
        _ => return None,
    })
}
