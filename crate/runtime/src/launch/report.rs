//! What a launch did, and how a notebook shows it.

use crate::device::{Device, Prepared};
use crate::kernel::Kernel;
use cornerturn_base::error::{self, Error, Result};
use cornerturn_base::html;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::advice::Explanation;
use cornerturn_emulator::{Counters, Finding, Printed, Report, Site, Trace};
use cornerturn_model::Observation;
use std::fmt;
use std::sync::Arc;

/// What a launch did. On a GPU there are no counters; `Task::run` and [`raw`](crate::raw) have them
/// counted by the emulator there too.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let kernel = Kernel::cuda("__global__ void copy(const float* in, float* out) { out[threadIdx.x] = in[2 * threadIdx.x]; }")?;
/// let (from, to) = (device.buffer("from", &[1.0_f32; 64])?, device.poisoned::<f32>("to", 32)?);
/// let report = device.launch(&kernel, 1, 32, args![from, to])?;
/// let counters = report.counters.unwrap_or_default();
/// assert_eq!((counters.global_load_sectors, counters.global_store_sectors), (8, 4));
/// assert!(report.why.advice[0].message.contains("neighbouring lanes are 8 bytes apart"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: u32,
    /// What the kernel did to memory.
    pub counters: Option<Counters>,
    /// The same by place in the kernel.
    pub sites: Vec<Site>,
    /// Why it is slow, as far as its counts say: accesses and branches by line, and the worst of them in sentences.
    pub why: Explanation,
    /// What it did wrong.
    pub findings: Vec<Finding>,
    /// What CUDA allows and is worth a remark, where checks were asked for.
    pub remarks: Vec<Finding>,
    /// The recorded accesses, where they were asked for.
    pub trace: Option<Trace>,
    /// What the model of time takes, where it was asked for.
    pub observation: Option<Arc<Observation>>,
    /// PTX instructions executed, by warps.
    pub warp_instructions: u64,
    /// What the kernel printed.
    pub printed: Printed,
    /// Whether it would come to its end on a GPU, as far as the emulator saw.
    pub would_end: bool,
}

impl LaunchReport {
    /// The report, or its findings as an error.
    pub fn into_result(self) -> Result<Self> {
        if self.findings.is_empty() {
            return Ok(self);
        }
        Err(Error::Kernel {
            kernel: self.kernel,
            findings: self.findings,
            printed: Box::new(self.printed),
        })
    }

    pub(crate) fn new(device: &Device, kernel: &Kernel, prepared: &Prepared) -> Self {
        Self {
            kernel: kernel.name().to_string(),
            device: device.name().to_string(),
            grid: prepared.grid,
            block: prepared.block,
            dynamic_shared_bytes: prepared.dynamic_shared_bytes,
            counters: None,
            sites: Vec::new(),
            why: Explanation::default(),
            findings: Vec::new(),
            remarks: Vec::new(),
            trace: None,
            observation: None,
            warp_instructions: 0,
            printed: Printed::default(),
            would_end: true,
        }
    }

    /// With what the emulator counted; `source` is the kernel's file, if there is one.
    pub(crate) fn counted(mut self, report: Report, source: Option<&str>) -> Self {
        self.would_end = report.would_end();
        self.counters = Some(report.counters);
        self.sites = report.sites;
        self.why = Explanation::new(&self.sites, &report.lines, source);
        self.findings = report.findings;
        self.remarks = report.remarks;
        self.trace = report.trace;
        self.warp_instructions = report.warp_instructions;
        self.printed = report.printed;
        self
    }

    /// The table of what was computed, by counter, type and byte; empty where nothing was counted.
    pub fn arithmetic(&self) -> html::Table {
        html::arithmetic_table(&self.counters.unwrap_or_default(), None)
    }

    fn headline(&self) -> String {
        let (grid, block) = (&self.grid, &self.block);
        format!(
            "{}: grid {grid}, block {block}, on {}",
            self.kernel, self.device
        )
    }

    /// Shows the launch, remarks on it, what it printed and its counters in a notebook or page.
    pub fn evcxr_display(&self) {
        let mut html = html::paragraph("ct-launch", &self.headline());
        html.push_str(&html::advice(&self.why.advice));
        html.push_str(&html::remarks(&self.remarks));
        html.push_str(&html::printed(&self.printed));
        if let Some(counters) = &self.counters {
            html.push('\n');
            html.push_str(&html::counters_table(counters, None));
        }
        html::show(&html);
    }
}

impl fmt::Display for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        for remark in &self.remarks {
            write!(f, "\n{}", remark.message())?;
        }
        f.write_str(&error::printed_lines(&self.printed))
    }
}

impl fmt::Debug for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
