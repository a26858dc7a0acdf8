//! Intrinsics by table: the functions that CUDA has by itself, as data: their names, what they take, and the PTX that
//! they are.

use crate::ir::Effect;
use crate::syntax::Scalar;

#[rustfmt::skip]
/// Name, types of the result and the arguments, PTX, effect. Types: v nothing, i int, u unsigned, l long long, L unsigned
/// long long, f float, d double, p any pointer.
pub(in crate::lower) const TABLE: [(&str, &str, &str, Effect); 97] = [
    ("llabs", "ll", "abs.s64 %0, %1;", Effect::Pure),
    ("labs", "ll", "abs.s64 %0, %1;", Effect::Pure),
    ("__syncthreads", "v", "bar.sync 0;", Effect::Memory),
    ("__syncwarp", "vu", "bar.warp.sync %0;", Effect::Memory),
    ("__syncthreads_count", "ii", "{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }", Effect::Memory),
    ("__syncthreads_and", "ii", "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }", Effect::Memory),
    ("__syncthreads_or", "ii", "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }", Effect::Memory),
    ("__threadfence", "v", "membar.gl;", Effect::Memory),
    ("__threadfence_block", "v", "membar.cta;", Effect::Memory),
    ("__threadfence_system", "v", "membar.sys;", Effect::Memory),
    ("__threadfence_cluster", "v", "fence.sc.cluster;", Effect::Memory),
    ("__barrier_sync", "vu", "barrier.sync %0;", Effect::Memory),
    ("__barrier_sync_count", "vuu", "barrier.sync %0, %1;", Effect::Memory),
    ("__cluster_barrier_arrive", "v", "barrier.cluster.arrive;", Effect::Memory),
    ("__cluster_barrier_arrive_relaxed", "v", "barrier.cluster.arrive.relaxed;", Effect::Memory),
    ("__cluster_barrier_wait", "v", "barrier.cluster.wait;", Effect::Memory),
    ("__ballot_sync", "uui", "{ .reg .pred p; setp.ne.s32 p, %2, 0; vote.sync.ballot.b32 %0, p, %1; }", Effect::Memory),
    ("__any_sync", "iui", "{ .reg .pred p, q; setp.ne.s32 p, %2, 0; vote.sync.any.pred q, p, %1; selp.u32 %0, 1, 0, q; }", Effect::Memory),
    ("__all_sync", "iui", "{ .reg .pred p, q; setp.ne.s32 p, %2, 0; vote.sync.all.pred q, p, %1; selp.u32 %0, 1, 0, q; }", Effect::Memory),
    ("__uni_sync", "iui", "{ .reg .pred p, q; setp.ne.s32 p, %2, 0; vote.sync.uni.pred q, p, %1; selp.u32 %0, 1, 0, q; }", Effect::Memory),
    ("__activemask", "u", "activemask.b32 %0;", Effect::Memory),
    ("__reduce_and_sync", "uuu", "redux.sync.and.b32 %0, %2, %1;", Effect::Memory),
    ("__reduce_or_sync", "uuu", "redux.sync.or.b32 %0, %2, %1;", Effect::Memory),
    ("__reduce_xor_sync", "uuu", "redux.sync.xor.b32 %0, %2, %1;", Effect::Memory),
    ("__popc", "iu", "popc.b32 %0, %1;", Effect::Pure),
    ("__popcll", "iL", "popc.b64 %0, %1;", Effect::Pure),
    ("__clz", "iu", "clz.b32 %0, %1;", Effect::Pure),
    ("__clzll", "iL", "clz.b64 %0, %1;", Effect::Pure),
    ("__brev", "uu", "brev.b32 %0, %1;", Effect::Pure),
    ("__brevll", "LL", "brev.b64 %0, %1;", Effect::Pure),
    ("__ffs", "iu", "{ .reg .b32 t; brev.b32 t, %1; bfind.shiftamt.u32 t, t; add.s32 %0, t, 1; }", Effect::Pure),
    ("__ffsll", "iL", "{ .reg .b64 t; .reg .b32 s; brev.b64 t, %1; bfind.shiftamt.u64 s, t; add.s32 %0, s, 1; }", Effect::Pure),
    ("__funnelshift_l", "uuuu", "shf.l.wrap.b32 %0, %1, %2, %3;", Effect::Pure),
    ("__funnelshift_r", "uuuu", "shf.r.wrap.b32 %0, %1, %2, %3;", Effect::Pure),
    ("__funnelshift_lc", "uuuu", "shf.l.clamp.b32 %0, %1, %2, %3;", Effect::Pure),
    ("__funnelshift_rc", "uuuu", "shf.r.clamp.b32 %0, %1, %2, %3;", Effect::Pure),
    ("__umulhi", "uuu", "mul.hi.u32 %0, %1, %2;", Effect::Pure),
    ("__mulhi", "iii", "mul.hi.s32 %0, %1, %2;", Effect::Pure),
    ("__umul64hi", "LLL", "mul.hi.u64 %0, %1, %2;", Effect::Pure),
    ("__mul64hi", "lll", "mul.hi.s64 %0, %1, %2;", Effect::Pure),
    ("__umul24", "uuu", "mul24.lo.u32 %0, %1, %2;", Effect::Pure),
    ("__mul24", "iii", "mul24.lo.s32 %0, %1, %2;", Effect::Pure),
    ("__sad", "uiiu", "sad.s32 %0, %1, %2, %3;", Effect::Pure),
    ("__usad", "uuuu", "sad.u32 %0, %1, %2, %3;", Effect::Pure),
    ("exp2f", "ff", "ex2.approx.f32 %0, %1;", Effect::Pure),
    ("__exp2f", "ff", "ex2.approx.f32 %0, %1;", Effect::Pure),
    ("__ex2_ftz", "ff", "ex2.approx.ftz.f32 %0, %1;", Effect::Pure),
    ("__lg2_ftz", "ff", "lg2.approx.ftz.f32 %0, %1;", Effect::Pure),
    ("__sqrt_ftz", "ff", "sqrt.approx.ftz.f32 %0, %1;", Effect::Pure),
    ("__rcp_ftz", "ff", "rcp.approx.ftz.f32 %0, %1;", Effect::Pure),
    ("__rsqrt_ftz", "ff", "rsqrt.approx.ftz.f32 %0, %1;", Effect::Pure),
    ("__div_ftz", "fff", "div.approx.ftz.f32 %0, %1, %2;", Effect::Pure),
    ("__drcp_ftz", "dd", "rcp.approx.ftz.f64 %0, %1;", Effect::Pure),
    ("__drsqrt_ftz", "dd", "rsqrt.approx.ftz.f64 %0, %1;", Effect::Pure),
    ("__drsqrt", "dd", "rsqrt.approx.f64 %0, %1;", Effect::Pure),
    ("__sinf", "ff", "sin.approx.f32 %0, %1;", Effect::Pure),
    ("__cosf", "ff", "cos.approx.f32 %0, %1;", Effect::Pure),
    ("__tanhf", "ff", "tanh.approx.f32 %0, %1;", Effect::Pure),
    ("__tanf", "ff", "{ .reg .f32 s, c; sin.approx.f32 s, %1; cos.approx.f32 c, %1; div.approx.f32 %0, s, c; }", Effect::Pure),
    ("__log2f", "ff", "lg2.approx.f32 %0, %1;", Effect::Pure),
    ("__expf", "ff", "{ .reg .f32 t; mul.f32 t, %1, 0f3FB8AA3B; ex2.approx.f32 %0, t; }", Effect::Pure),
    ("__exp10f", "ff", "{ .reg .f32 t; mul.f32 t, %1, 0f40549A78; ex2.approx.f32 %0, t; }", Effect::Pure),
    ("__fdividef", "fff", "div.approx.f32 %0, %1, %2;", Effect::Pure),
    ("rsqrtf", "ff", "rsqrt.approx.f32 %0, %1;", Effect::Pure),
    ("copysign", "ddd", "copysign.f64 %0, %2, %1;", Effect::Pure),
    ("__saturatef", "ff", "cvt.sat.f32.f32 %0, %1;", Effect::Pure),
    ("floorf", "ff", "cvt.rmi.f32.f32 %0, %1;", Effect::Pure),
    ("ceilf", "ff", "cvt.rpi.f32.f32 %0, %1;", Effect::Pure),
    ("truncf", "ff", "cvt.rzi.f32.f32 %0, %1;", Effect::Pure),
    ("rintf", "ff", "cvt.rni.f32.f32 %0, %1;", Effect::Pure),
    ("nearbyintf", "ff", "cvt.rni.f32.f32 %0, %1;", Effect::Pure),
    ("llrintf", "lf", "cvt.rni.s64.f32 %0, %1;", Effect::Pure),
    ("lrint", "ld", "cvt.rni.s64.f64 %0, %1;", Effect::Pure),
    ("llrint", "ld", "cvt.rni.s64.f64 %0, %1;", Effect::Pure),
    ("fdividef", "fff", "div.rn.f32 %0, %1, %2;", Effect::Pure),
    ("fdivide", "ddd", "div.rn.f64 %0, %1, %2;", Effect::Pure),
    ("floor", "dd", "cvt.rmi.f64.f64 %0, %1;", Effect::Pure),
    ("ceil", "dd", "cvt.rpi.f64.f64 %0, %1;", Effect::Pure),
    ("trunc", "dd", "cvt.rzi.f64.f64 %0, %1;", Effect::Pure),
    ("nearbyint", "dd", "cvt.rni.f64.f64 %0, %1;", Effect::Pure),
    ("rint", "dd", "cvt.rni.f64.f64 %0, %1;", Effect::Pure),
    ("lrintf", "lf", "cvt.rni.s64.f32 %0, %1;", Effect::Pure),
    ("__double2hiint", "id", "{ .reg .b32 t; mov.b64 {t, %0}, %1; }", Effect::Pure),
    ("__double2loint", "id", "{ .reg .b32 t; mov.b64 {%0, t}, %1; }", Effect::Pure),
    ("__hiloint2double", "dii", "mov.b64 %0, {%2, %1};", Effect::Pure),
    ("__nanosleep", "vu", "nanosleep.u32 %0;", Effect::Volatile),
    ("__trap", "v", "trap;", Effect::Volatile),
    ("__brkpt", "v", "brkpt;", Effect::Volatile),
    ("clock64", "l", "mov.u64 %0, %clock64;", Effect::Volatile),
    ("clock", "l", "{ .reg .b32 t; mov.u32 t, %clock; cvt.s64.s32 %0, t; }", Effect::Volatile),
    ("cudaGridDependencySynchronize", "v", "griddepcontrol.wait;", Effect::Memory),
    ("cudaTriggerProgrammaticLaunchCompletion", "v", "griddepcontrol.launch_dependents;", Effect::Volatile),
    ("__pipeline_commit", "v", "cp.async.commit_group;", Effect::Memory),
    ("__isGlobal", "ip", "{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }", Effect::Pure),
    ("__isShared", "ip", "{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }", Effect::Pure),
    ("__isConstant", "ip", "{ .reg .pred p; isspacep.const p, %1; selp.u32 %0, 1, 0, p; }", Effect::Pure),
    ("__isLocal", "ip", "{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }", Effect::Pure),
];

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
