//! What a cell, a notebook and a program use of Corner Turn: the face of the library. It has no code of its own; what it passes on lives in the packages below it.
//!
//! A cell begins with `use cornerturn::prelude::*;`, opens a device and runs a kernel on it:
//!
//! ```
//! use cornerturn::prelude::*;
//!
//! let device = Device::emulator();
//! let task = Task::transpose(&device, 100, 70)?;
//! let run = task.run(&Kernel::registered("padded")?, (3, 4), (32, 8))?;
//! println!("{run}");
//! assert_eq!(run.bytes_moved, 2 * 4 * 100 * 70);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Guide
//!
//! | for | look at |
//! | --- | --- |
//! | a device: a GPU, or the emulator where there is none | [`Device`] |
//! | a kernel: from the registry, from CUDA C++, from PTX | [`Kernel`] |
//! | memory and arguments | [`Buffer`], [`Pinned`], [`Managed`], [`Texture`], [`TensorMap`], [`args!`] |
//! | a launch of your own, its counters in sectors and wavefronts | [`Device::launch`], [`LaunchReport`], [`Counters`] |
//! | streams, events, graphs; times in microseconds | [`Stream`], [`Event`], [`Graph`], [`LaunchSequence`] |
//! | an operation on matrices: verified, checked, counted, timed | [`Task`], [`Run`] |
//! | a product of matrices, an operation on arrays | [`Product`], [`Work`], [`works`] |
//! | bandwidths in GB/s, 1 GB = 10⁹ bytes, as they were measured | [`Record`], [`Sweep`], [`roofline`] |
//! | figures | [`plot`] |
//! | exercises | [`exercise`] |
//! | what went wrong, and who has to act | [`Error`], [`ErrorKind`] |
//!
//! # Floors
//!
//! Each package takes only from those above it in this list: [`cornerturn_base`] (values, errors, files), [`cornerturn_registry`]
//! (kernels and what they are asked), [`cornerturn_runtime`] (compilers, devices, launches), [`cornerturn_measure`] (verified,
//! counted, timed, recorded), [`cornerturn_plot`] (figures), [`cornerturn_exercise`] (the workshop).

pub use anyhow;
pub use cornerturn_base::{
    AccessProperty, Advice, CacheLimits, CacheSettings, Capacity, Clocks, DeviceFacts, Dim3,
    Direction, Element, ElementType, Error, ErrorKind, Fill, GbPerS, HostFacts, L2Window, Layout,
    Limits, MOST_PRINTED_LINES, Message, Mismatch, NoCuda, NumberType, Occupancy, Operation, Place,
    ProductBoxes, ProductMismatch, ProductMistake, ProductShape, ProposedBlock, Resources, Result,
    Shape, Side, Spot, Swizzle, TensorBox, TensorBoxes, Timing, TimingMode, TimingOptions,
    WrongElement, escape_html, files, given, memory, messages, occupancy, paths, pattern, ptx,
    timing, traffic,
};
pub use cornerturn_emulator as emulator;
pub use cornerturn_emulator::counters::Flops;
pub use cornerturn_emulator::{
    Access, AddressMode, BulkCopy, Cluster, Counters, Finding, FindingKind, Handover, HandoverKind,
    Printed, PrintedLine, Sampling, Shuffle, ShuffleMode, Site, Space, TexelFormat, Trace,
    TraceRequest,
};
pub use cornerturn_exercise as exercise;
pub use cornerturn_exercise::{Answered, Question};
pub use cornerturn_measure::{
    Accesses, Asked, BlockOrder, Blocks, Bound, Causes, Checked, Counted, CublasGemm, Geam,
    LaunchTime, LaunchWay, Launches, MachineFacts, Others, Placed, Product, ProductPoint,
    ProductRun, ProductTuning, Products, Ready, Record, Region, RegisteredTask, Report, Reports,
    Roof, Run, Sectors, Sweep, SweepPoint, Task, TileWalk, Transfer, TransferClock, Transfers,
    Tuning, Walk, WalkedTile, WarpOf, WaveReads, Work, machine_facts, product_record, record,
    reports, roofline, task, tuning, verify, works,
};
pub use cornerturn_plot as plot;
pub use cornerturn_registry::{Accuracy, ProductData, ProductProblem, Registry, registry};
pub use cornerturn_runtime::{
    Argument, Buffer, Capture, Compiler, CompilerInfo, CompilerKind, Copying, DeedKind, Device,
    Event, Graph, INTERRUPT_FILE, Kernel, LaunchClock, LaunchOptions, LaunchReport, LaunchSequence,
    MachineCode, Managed, Origin, Pinned, Stream, StreamCopy, StreamWatch, Surface, TensorMap,
    Texel, Texels, Texture, Timeline, TimelineBar, TimelineUnit, args, compile, compiler, device,
    entry, launch, machine_code, raw,
};

/// What a cell needs: `use cornerturn::prelude::*;`.
pub mod prelude {
    pub use crate::exercise;
    pub use crate::plot::{self, Figure};
    pub use crate::{
        AccessProperty, Accesses, Advice, Argument, Buffer, CacheSettings, Causes, Cluster,
        Counted, Counters, CublasGemm, Device, Dim3, Direction, Element, ElementType, Error, Event,
        GbPerS, Graph, Kernel, L2Window, LaunchClock, LaunchReport, LaunchSequence, LaunchWay,
        Launches, Layout, Limits, MachineFacts, NumberType, Occupancy, Operation, Place, Placed,
        Product, ProductData, ProductProblem, ProductRun, ProductShape, Products, Question, Record,
        Reports, Roof, Run, Sampling, Shape, Side, Site, Stream, StreamCopy, Sweep, Swizzle, Task,
        TensorBox, TensorMap, Texture, TileWalk, Timeline, Timing, TimingMode, TimingOptions,
        TraceRequest, Transfers, Tuning, Walk, Work, args, emulator, roofline, traffic, tuning,
        verify, works,
    };
    pub use anyhow::{self, Context, Result};
}
