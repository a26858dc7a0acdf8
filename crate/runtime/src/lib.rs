//! Kernels compiled and run: compilers, kernels, devices and what lies on them, launches, streams, machine code. A device is a CUDA GPU or the emulator, behind one interface. It knows neither how a result is judged nor how it is drawn.
//!
//! Cells do not name this package: `cornerturn` passes on what they need, under the same paths.
//!
//! | modules | what is in them |
//! | --- | --- |
//! | [`entry`] [`compile`] [`kernel`] | from CUDA C++ to a kernel: the entries of a source, NVRTC and our own compiler, PTX with its signature |
//! | [`device`] | the GPU by NVIDIA's driver, or the emulator: memory in bytes by address, clocks, facts |
//! | [`buffer`] [`pinned`] [`managed`] [`tensor_map`] [`texture`] [`surface`] [`argument`] | what lies on a device, and what a kernel is given |
//! | [`launch`] [`stream`] [`sequence`] | running: grids and blocks, queues, graphs, sequences of launches; times in microseconds |
//! | [`machine_code`] | what the assembler made of a kernel, by NVIDIA's tools |
//! | [`raw`] | a launch of any kernel with arguments that are written as text |
//!
//! All `unsafe` code of the library is here, in what calls NVIDIA's libraries (`device/cuda`, `compile/nvrtc`). Without the
//! feature `driver` types that have no value stand in for them.
//!
//! ```
//! use cornerturn_runtime::{Compiler, CompilerKind, Device, Kernel, args};
//!
//! let source = "extern \"C\" __global__ void doubled(float* x) { x[threadIdx.x] *= 2; }";
//! let kernel = Kernel::cuda_by(&Compiler::of(CompilerKind::CornerTurn)?, source, "doubled.cu", "doubled")?;
//! let device = Device::emulator();
//! let x = device.upload("x", &[1.0f32, 2.0, 3.0])?;
//! device.launch(&kernel, 1, 3, args![&x])?;
//! assert_eq!(x.read()?, [2.0, 4.0, 6.0]);
//! # Ok::<(), cornerturn_base::Error>(())
//! ```

// What is made ready for a GPU only, and what only its measurements use, stays where there is none.
#![cfg_attr(not(feature = "driver"), allow(dead_code))]
// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod argument;
pub mod buffer;
pub mod compile;
pub mod device;
pub mod entry;
pub mod kernel;
pub mod launch;
pub mod machine_code;
pub mod managed;
pub mod pinned;
pub mod raw;
pub mod sequence;
pub mod stream;
pub mod surface;
pub mod tensor_map;
pub mod texture;

pub use argument::Argument;
pub use buffer::Buffer;
pub use compile::{Compiler, CompilerInfo, CompilerKind, compiler};
pub use device::{DeedKind, Device};
pub use kernel::{Kernel, Origin};
pub use launch::{INTERRUPT_FILE, LaunchOptions, LaunchReport};
pub use machine_code::MachineCode;
pub use managed::Managed;
pub use pinned::{Copying, Pinned};
pub use sequence::{LaunchClock, LaunchSequence};
pub use stream::{
    Capture, Event, Graph, Stream, StreamCopy, StreamWatch, Timeline, TimelineBar, TimelineUnit,
};
pub use surface::Surface;
pub use tensor_map::TensorMap;
pub use texture::{Texel, Texels, Texture};
