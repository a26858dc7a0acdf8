//! The names of NVIDIA's libraries on each operating system, and whether NVIDIA makes them for it.

/// The compiler of CUDA C++, the newest first.
pub const NVRTC: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else {
    &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
};

/// What the file's name of the compiler begins with, in any version.
pub const NVRTC_START: &str = if cfg!(windows) {
    "nvrtc64_"
} else {
    "libnvrtc.so"
};

/// The same of the functions that are built into it, beside it.
pub const NVRTC_BUILTINS_START: &str = if cfg!(windows) {
    "nvrtc-builtins64_"
} else {
    "libnvrtc-builtins.so"
};

/// The library that manages GPUs.
pub const NVML: &[&str] = if cfg!(windows) {
    &["nvml.dll"]
} else {
    &["libnvidia-ml.so.1", "libnvidia-ml.so"]
};

/// cuBLAS, the newest first.
pub const CUBLAS: &[&str] = if cfg!(windows) {
    &["cublas64_13.dll", "cublas64_12.dll"]
} else {
    &["libcublas.so.13", "libcublas.so.12"]
};

/// The library that cuBLAS itself needs, beside it, in the same order.
pub const CUBLAS_BESIDE: &[&str] = if cfg!(windows) {
    &["cublasLt64_13.dll", "cublasLt64_12.dll"]
} else {
    &["libcublasLt.so.13", "libcublasLt.so.12"]
};

/// What is said where the driver's library is not found.
pub(crate) const NO_DRIVER: &str = if cfg!(target_os = "macos") {
    "NVIDIA makes no driver for macOS; use the emulator (`--device emulator`, CORNERTURN_DEVICE=emulator)"
} else if cfg!(windows) {
    "no NVIDIA driver on this machine (nvcuda.dll is not found); install the driver (version 530 or later), or \
     use the emulator (`--device emulator`, CORNERTURN_DEVICE=emulator)"
} else {
    "no NVIDIA driver on this machine (libcuda.so.1 is not found); install the driver (version 530 or later), or \
     use the emulator (`--device emulator`, CORNERTURN_DEVICE=emulator)"
};

/// Whether NVIDIA makes the compiler for this system.
pub const HAS_NVRTC: bool = cfg!(any(target_os = "linux", windows));
