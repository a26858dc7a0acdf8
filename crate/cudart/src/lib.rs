//! The CUDA runtime API over the emulator: the C functions that a program compiled by nvcc with `-cudart none` is linked with. What there is and what it does is `cornerturn-cuda`'s.
//!
//! Each call goes the same way (`call`): where it stands in the program is told to the driver, it runs in the context of the
//! thread's device, and its error becomes the thread's last. The signatures are those of `cuda_runtime_api.h` and of
//! `crt/host_runtime.h`, by which nvcc's own code registers and launches kernels.
//!
//! ```text
//! errors, types, properties
//!                      numbers and structures of the interface
//! place, names, fault  where in the program a call stands, or a fault, and what the program calls what it allocates
//! call, last_error     what all calls have in common
//! registered           images, kernels and variables of the program
//! launch, function     kernels
//! memory, pointers     allocations, and questions about them
//! copies, fills, symbols
//! stream, event, graph, node
//! array, texture
//! device, peer, entry_point
//! per_thread           the same calls for programs whose threads have default streams of their own
//! ```

#![allow(
    non_snake_case,
    reason = "the functions have the names of the interface"
)]
#![allow(
    clippy::too_many_arguments,
    reason = "the functions have the parameters of the interface"
)]
// A test that cannot go on fails.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod array;
pub mod call;
pub mod copies;
pub mod device;
pub mod entry_point;
pub mod errors;
pub mod event;
mod fault;
pub mod fills;
pub mod function;
pub mod graph;
pub mod last_error;
pub mod launch;
pub mod memory;
mod names;
pub mod node;
pub mod peer;
pub mod per_thread;
pub mod place;
pub mod pointers;
pub mod properties;
pub mod registered;
pub mod stream;
pub mod symbols;
pub mod texture;
pub mod types;
