//! Runs PTX kernels on a CPU, with a GPU's memory counters and a checker's findings. No CUDA driver, no files, no clock.
//!
//! ```
//! use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};
//!
//! let ptx = "
//!     .version 8.0
//!     .target sm_75
//!     .address_size 64
//!     .visible .entry twice(.param .u64 values) {
//!         .reg .b32 %r<3>;
//!         .reg .b64 %rd<3>;
//!         ld.param.u64 %rd1, [values];
//!         mov.u32 %r1, %tid.x;
//!         mad.wide.u32 %rd2, %r1, 4, %rd1;
//!         ld.global.u32 %r2, [%rd2];
//!         shl.b32 %r2, %r2, 1;
//!         st.global.u32 [%rd2], %r2;
//!         ret;
//!     }";
//! let module = Module::load(ptx)?;
//! let mut memory = Memory::new();
//! let values = memory.allocate(4 * 32, "values")?;
//! memory.fill(values, 4 * 32, 21)?;
//! let args = [Arg::from(values)];
//! let job = Launch { entry: "twice", grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, args: &args };
//! let report = launch(&module, &memory, &job, &Options::default())?;
//! assert!(report.findings.is_empty());
//! assert_eq!(report.counters.global_load_sectors, 4);
//! let mut first = [0; 4];
//! memory.read(values, &mut first)?;
//! assert_eq!(u32::from_le_bytes(first), 42);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The way of a kernel
//!
//! 1. `parse`: text to a syntax tree. Knows the grammar, no opcode.
//! 2. `decode`: names are looked up, called functions inlined (those that recurse or that pointers point to are
//!    decoded apart and called), each instruction is found in the `table` and becomes operations; these become
//!    basic blocks (`flow`), lose their copies (`optimise`), get slots for registers (`registers`) and are emitted
//!    as code with its tables, a `Program`. Whatever is not supported is refused here, before anything runs.
//! 3. `run`: blocks are dealt out to host threads (`grid`); in a block, groups of eight warps take turns from
//!    barrier to barrier (`block`); lanes that diverge rejoin where machine code has them wait (`strand`; which places
//!    these are, `decode::joins` says).
//! 4. `instructions` and `operations`: what each instruction does to a group's lanes, one file for each chapter of
//!    the PTX ISA and the parts that these share. Registers whose lanes are `base + lane * step` are held as such
//!    (`machine::row`) until somebody looks at the lanes. `counters` holds the rules by which addresses become
//!    requests, sectors and wavefronts.
//! 5. What was found is data (`report`), its words are in `diagnostics`. Why a launch is slow is [`advice`]'s: data and words,
//!    from what is reported.
//!
//! # The folders
//!
//! Each takes only from those above it; the test `folders` holds them to it.
//!
//! ```text
//! error, sorted     what can go wrong; records sorted
//! counters          the rules by which addresses are counted
//! touched, streams  bytes that operations touch; which operations on streams come before which
//! report            what a launch tells, as data; its words are in diagnostics
//! advice            why a launch is slow, from what is reported
//! parse             text to a syntax tree
//! program           a decoded kernel as data: kinds of operands, shapes of accesses, tables
//! memory            buffers, the heap of device code, faults
//! check             the shadow of a checked launch: who accessed what, and when
//! machine           what executes: lanes, rows, the world around them, the form of an instruction
//! operations        what is executed: loops over lanes, accesses, arithmetic that instructions share
//! decode            from the syntax tree to code and its program
//! instructions      a file for each chapter of the PTX ISA: what decodes beside what executes
//! table             the list of all instructions
//! module, launch    what a host loads and asks for
//! run               strands, blocks, the grid
//! ```
//!
//! `decode` knows no instruction by name: it is given `table::find`, and what decodes one of them, in `instructions`,
//! uses what `decode` offers.
//!
//! Asynchronous copies (`cp.async`, bulk and tensor copies) are queued when they are executed and take place when
//! the wait that covers them is: `operations::asynchronous` says why. A kernel's tensor map is made by [`TensorMap`].
//! What they count is in [`counters::copy_counts`] and, for bulk and tensor copies, only [`Site::bytes`].
//! A product of a warpgroup (`wgmma`) is done when it is executed, each warp's rows for themselves; that its registers and
//! shared memory are left alone until the wait is for a checked launch to see (`operations::asynchronous::multiply`).
//!
//! PTX instructions are counted by basic block from the text, so no step above changes a count.
//!
//! # What is not as on the hardware
//!
//! `%clock`, `%clock64` and `%globaltimer` count the block's warp instructions, so that they go up and are the same in every
//! run. A thread's calls may take 64 KiB of local memory beside the kernel's own, where a GPU has 1 KiB unless
//! asked for more; device code's `malloc` has the 8 MiB that a GPU gives it, and what it returns lies in one buffer.
//!
//! Where lanes meet again that have parted is ptxas's choice. Ours agrees with its BSSY and BSYNC for the loops, breaks,
//! returns and conditions of `tests/pass/reconverge.cu`. It does not everywhere: of a `switch` with cases that fall
//! through, `case 0: A; case 1: B; break; case 2: C; case 3: D; case 4: E; break; default: F`, ptxas runs F once for the
//! lanes of each half of its tree of branches, and the emulator once; a branch that ptxas turns into guards has no lanes
//! that wait at all. Lanes of an irreducible loop (with two entries) meet at the post-dominator of their branch.
//!
//! # Adding an instruction
//!
//! A row in `table.rs`; its function in the file of its chapter in `instructions/`, which for most is one line
//! (`computes!(ADD_SAT_S32, binary, (i32, i32) => i32, |a, b| a.saturating_add(b))`); a kernel that uses it in
//! `tests/pass/`. [`supported_instructions`] lists the rows. `CONTRIBUTING.md` goes through an example.

#![allow(
    clippy::needless_range_loop,
    reason = "the number of a lane or warp indexes several arrays at once"
)]

pub mod advice;
mod check;
pub mod counters;
mod decode;
mod diagnostics;
mod error;
mod instructions;
mod launch;
mod machine;
mod memory;
mod module;
mod operations;
mod parse;
mod program;
mod report;
mod run;
mod sorted;
pub mod streams;
mod surface;
mod table;
mod tensor_map;
mod texture;
mod touched;

pub use counters::Counters;
pub use error::{LaunchError, LoadError, MemoryError};
pub use launch::{Arg, Launch, Options};
pub use memory::Memory;
pub use module::{Entry, Module, VARIABLES, VARIABLES_BYTES};
pub use program::cluster::Cluster;
pub use program::kinds::Kind as OperandKind;
pub use program::param::{Param, ParamType};
pub use program::variable::ModuleVariable;
pub use report::{
    Access, BlockReach, BlockRuns, Branch, BufferInfo, BulkCopy, ClusterBarrierFault, ClusterFault,
    Demand, Detail, Finding, FindingKind, Form, GridWait, Handover, HandoverKind, Headway,
    IndexFault, Inlining, LineCount, MaskFault, MultiplyFault, OtherSite, Path, PointerFault,
    Printed, PrintedLine, RaceHint, RaceScope, Reach, Report, Shuffle, ShuffleMode, Site,
    SourceLine, Space, Step, StepKind, Steps, StepsRequest, Trace, TraceRequest, Wide, WideCount,
    Worst, Written,
};
pub use run::{MULTIPROCESSORS, counters_of, launch, needed_bytes, resident_blocks};
pub use surface::{Surface, SurfaceLayout};
pub use table::{MemoryEffect, Operands, Supported, supported_instructions};
pub use tensor_map::{
    Fill, Swizzle, TENSOR_MAP_BYTES, TensorElement, TensorLayout, TensorMap, TensorMapError,
};
pub use texture::{
    AddressMode, Filter, Sampling, TexelFormat, TexelMemory, Texture, TextureError, TextureLayout,
};
pub use touched::{Bytes, Early, Touched, TouchedBuffer};
