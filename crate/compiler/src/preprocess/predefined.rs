//! Macros that are defined before the first line of every source.

use super::macros::Macros;
use crate::diagnostics::Sink;

/// What tells a source by what it is compiled.
const COMPILER: [(&str, &str); 6] = [
    ("__LP64__", "1"),
    ("__CUDACC__", "1"),
    ("__CUDACC_RTC__", "1"),
    ("__CUDACC_VER_MAJOR__", "13"),
    ("__CUDACC_VER_MINOR__", "0"),
    ("__cplusplus", "201703L"),
];

/// The same where this compiler does it, of a program as nvcc compiles it on Linux. There is no clock here: what is compiled twice is the same.
const OWN: [(&str, &str); 5] = [
    ("__NVCC__", "1"),
    ("__linux__", "1"),
    ("__unix__", "1"),
    ("__DATE__", "\"Jan  1 1970\""),
    ("__TIME__", "\"00:00:00\""),
];

/// Names and values; numbers of the orders and scopes of `__nv_atomic_load_n` among them.
const NUMBERS: [(&str, &str); 27] = [
    ("CUDART_INF_F", "__int_as_float(0x7f800000)"),
    ("INFINITY", "__int_as_float(0x7f800000)"),
    ("NAN", "__int_as_float(0x7fffffff)"),
    ("UINT_MAX", "4294967295u"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "(-2147483647 - 1)"),
    ("FLT_MAX", "3.402823466e+38f"),
    ("FLT_MIN", "1.175494351e-38f"),
    ("FLT_EPSILON", "1.192092896e-07f"),
    ("M_PI", "3.14159265358979323846"),
    ("M_PI_2", "1.57079632679489661923"),
    ("M_E", "2.7182818284590452354"),
    ("M_SQRT2", "1.41421356237309504880"),
    ("__NV_ATOMIC_RELAXED", "0"),
    ("__NV_ATOMIC_CONSUME", "1"),
    ("__NV_ATOMIC_ACQUIRE", "2"),
    ("__NV_ATOMIC_RELEASE", "3"),
    ("__NV_ATOMIC_ACQ_REL", "4"),
    ("__NV_ATOMIC_SEQ_CST", "5"),
    ("__NV_THREAD_SCOPE_THREAD", "0"),
    ("__NV_THREAD_SCOPE_BLOCK", "1"),
    ("__NV_THREAD_SCOPE_CLUSTER", "2"),
    ("__NV_THREAD_SCOPE_DEVICE", "3"),
    ("__NV_THREAD_SCOPE_SYSTEM", "4"),
    ("cudaBoundaryModeZero", "0"),
    ("cudaBoundaryModeClamp", "1"),
    ("cudaBoundaryModeTrap", "2"),
];

/// The value of one of C's constants among them.
pub(super) fn number(name: &str) -> Option<&'static str> {
    let (_, value) = NUMBERS.iter().find(|(known, _)| *known == name)?;
    (!name.starts_with("__")).then_some(*value)
}

/// Defines them, and the architecture's number, such as 80 for `compute_80`; less where another compiler has the rest.
pub(super) fn define(macros: &mut Macros, number: u32, is_flat: bool, sink: &mut Sink) {
    let own = OWN.iter().chain(&NUMBERS);
    let own = own.filter(|_| !is_flat);
    for (name, value) in COMPILER.iter().chain(own) {
        macros.define_text(name, value, sink);
    }
    macros.define_text("__CUDA_ARCH__", &(number * 10).to_string(), sink);
}
