//! The helper library of the book's cells: devices, kernels, verification, counters, timing, records and figures. It knows neither evcxr nor mdBook.

// What is made ready for a GPU only, and what only its measurements use, stays where there is none.
#![cfg_attr(not(feature = "driver"), allow(dead_code))]
// A test may fail where it stands.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod exercise;
mod question;

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
pub use cornerturn_measure::{
    Accesses, Asked, BlockOrder, Blocks, Bound, Checked, Counted, CublasGemm, Geam, LaunchTime,
    LaunchWay, Launches, MachineFacts, Others, Placed, Product, ProductPoint, ProductRun,
    ProductTuning, Products, Ready, Record, Region, RegisteredTask, Report, Reports, Roof, Run,
    Sectors, Sweep, SweepPoint, Task, TileWalk, Transfer, TransferClock, Transfers, Tuning, Walk,
    WalkedTile, WarpOf, WaveReads, Work, machine_facts, product_record, record, reports, roofline,
    task, tuning, verify, works,
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
pub use question::{Answered, Question};

/// What a cell needs: `use cornerturn::prelude::*;`.
pub mod prelude {
    pub use crate::exercise;
    pub use crate::plot::{self, Figure};
    pub use crate::{
        AccessProperty, Accesses, Advice, Argument, Buffer, CacheSettings, Cluster, Counted,
        Counters, CublasGemm, Device, Dim3, Direction, Element, ElementType, Error, Event, GbPerS,
        Graph, Kernel, L2Window, LaunchClock, LaunchReport, LaunchSequence, LaunchWay, Launches,
        Layout, Limits, MachineFacts, NumberType, Occupancy, Operation, Place, Placed, Product,
        ProductData, ProductProblem, ProductRun, ProductShape, Products, Question, Record, Reports,
        Roof, Run, Sampling, Shape, Side, Site, Stream, StreamCopy, Sweep, Swizzle, Task,
        TensorBox, TensorMap, Texture, TileWalk, Timeline, Timing, TimingMode, TimingOptions,
        TraceRequest, Transfers, Tuning, Walk, Work, args, emulator, roofline, traffic, tuning,
        verify, works,
    };
    pub use anyhow::{self, Context, Result};
}
