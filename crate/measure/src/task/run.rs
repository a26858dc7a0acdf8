//! What one run of a task or of a work showed, and how a notebook shows it.

use super::checked::{Checked, Others, Verdict};
use cornerturn_base::element::ElementType;
use cornerturn_base::error::{self, Result};
use cornerturn_base::facts::DeviceFacts;
use cornerturn_base::html::{self, Wanted};
use cornerturn_base::shape::Dim3;
use cornerturn_base::timing::Timing;
use cornerturn_base::traffic::{self, GbPerS};
use cornerturn_emulator::advice::Explanation;
use cornerturn_emulator::counters::Flops;
use cornerturn_emulator::{Counters, Finding, Printed, Site};
use cornerturn_registry::problem::Problem;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchReport;
use std::fmt;

/// What was asked of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// An operation on matrices.
    Matrices(Problem),
    /// A work on arrays.
    Arrays {
        /// In words, such as "every 2nd of 8192 elements".
        what: String,
        /// How many results it has.
        items: usize,
        /// Their element type.
        element: ElementType,
        /// What must be read and what must be written.
        wanted: Wanted,
    },
}

/// What one run showed.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let run = Run::registered(&Device::emulator(), "tiled", 64, 96)?;
/// assert_eq!(run.counters.shared_load_bank_conflicts, 31 * 64 * 96 / 32);
/// // GB/s are measured on a GPU; the emulator has no clock.
/// assert!(run.gb_per_s().is_none());
/// println!("{run}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Run {
    /// The kernel's name.
    pub kernel: String,
    /// The device's name.
    pub device: String,
    /// What was asked of the kernel.
    pub asked: Asked,
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes that must move: of an operation on matrices, each element read once and written once.
    pub bytes_moved: u64,
    /// On which matrix or arrays it was checked for races, for reads of what was never written and for barriers that threads miss.
    pub checked: Checked,
    /// On which others it was tried.
    pub others: Others,
    /// What the kernel did to memory, counted by the emulator.
    pub counters: Counters,
    /// The same by place in the kernel.
    pub sites: Vec<Site>,
    /// Why it is slow, as far as its counts say: accesses and branches by line, and the worst of them in sentences.
    pub why: Explanation,
    /// What CUDA allows and is worth a remark.
    pub remarks: Vec<Finding>,
    /// What the kernel printed, as the emulator ran it.
    pub printed: Printed,
    /// PTX instructions executed, by warps.
    pub warp_instructions: u64,
    /// The kernel's time with a cold cache; on a GPU only.
    pub timing: Option<Timing>,
    /// The time of the driver's device-to-device copy of the same bytes in the same run; on a GPU only.
    pub copy: Option<Timing>,
    /// Where there is no time, of a kernel that is not the registry's: what is recorded of the one that counts most like it.
    pub in_place_of_time: Option<String>,
    /// What is known of the device.
    pub facts: DeviceFacts,
}

/// Below so much of the copy's bandwidth a kernel is not held back by bandwidth, and a rate says nothing of it: a chase from
/// pointer to pointer is such.
const LEAST_PERCENT: f64 = 0.5;

/// The report of a launch with its counters: its own, or those of the same launch on the emulator.
pub(crate) fn counted(
    report: LaunchReport,
    count: impl FnOnce() -> Result<LaunchReport>,
) -> Result<LaunchReport> {
    match report.counters {
        Some(_) => Ok(report),
        None => count(),
    }
}

impl Asked {
    /// Bytes that must move.
    fn bytes_moved(&self) -> u64 {
        match self {
            Self::Matrices(problem) => problem.bytes_moved(),
            Self::Arrays { wanted, .. } => wanted.load_bytes.saturating_add(wanted.store_bytes),
        }
    }
}

impl Run {
    /// What the steps of a run came to: checks, a counted launch, and on a GPU the kernel's time and the copy's.
    pub(crate) fn new(
        kernel: &Kernel,
        device: &Device,
        asked: Asked,
        (grid, block): (Dim3, Dim3),
        verdict: Verdict,
        counted: LaunchReport,
        times: Option<(Timing, Timing)>,
    ) -> Self {
        let (timing, copy) = times.unzip();
        Self {
            kernel: kernel.name().to_string(),
            device: device.name().to_string(),
            bytes_moved: asked.bytes_moved(),
            asked,
            grid,
            block,
            checked: verdict.checked,
            others: verdict.others,
            counters: counted.counters.unwrap_or_default(),
            sites: counted.sites,
            why: counted.why,
            remarks: verdict.remarks,
            printed: counted.printed,
            warp_instructions: counted.warp_instructions,
            timing,
            copy,
            in_place_of_time: None,
            facts: device.facts().clone(),
        }
    }

    /// The kernel's bandwidth; on a GPU only.
    pub fn gb_per_s(&self) -> Option<GbPerS> {
        self.timing
            .as_ref()
            .map(|timing| timing.gb_per_s(self.bytes_moved))
    }

    /// The bandwidth of the driver's copy of the same bytes in the same run; on a GPU only.
    pub fn copy_gb_per_s(&self) -> Option<GbPerS> {
        self.copy
            .as_ref()
            .map(|timing| timing.gb_per_s(self.bytes_moved))
    }

    /// Bytes that must move per byte that the sectors of global loads and stores carry.
    pub fn efficiency(&self) -> Option<f64> {
        traffic::efficiency(self.bytes_moved, &self.counters)
    }

    /// Floating-point operations by type, as the profiler counts them: a fused product and sum is two.
    pub fn flops(&self) -> Flops {
        self.counters.flops()
    }

    /// Floating-point operations for each byte of the sectors of global memory that were asked for; `None` where none was.
    pub fn arithmetic_intensity(&self) -> Option<f64> {
        self.counters.arithmetic_intensity()
    }

    /// Floating-point operations for each byte that must move between memory and the chip, however often it is asked for:
    /// the intensity that a roofline of DRAM takes. `None` where no byte must move.
    pub fn dram_intensity(&self) -> Option<f64> {
        let bytes = self.bytes_moved;
        (bytes > 0).then(|| self.flops().total() as f64 / bytes as f64)
    }

    /// The table of what was computed, by counter, type and byte.
    pub fn arithmetic(&self) -> html::Table {
        html::arithmetic_table(&self.counters, Some(self.bytes_moved))
    }

    /// The line on bandwidth, where it was timed.
    pub fn bandwidth_line(&self) -> Option<String> {
        let (rate, copy) = (self.gb_per_s()?, self.copy_gb_per_s()?);
        let timing = self.timing.as_ref()?;
        if rate.percent_of(copy) < LEAST_PERCENT {
            return Some(format!(
                "{timing}. That is no bandwidth: it moves {} bytes, and waits for them one after the other",
                self.bytes_moved
            ));
        }
        let peak = self.facts.peak_gb_per_s;
        let mut line = format!(
            "{rate}, {:.0} % of the device copy ({copy}) and {:.0} % of the peak ({peak:.0} GB/s, {}); {timing}",
            rate.percent_of(copy),
            rate.percent_of(GbPerS(peak)),
            self.facts.peak_source,
        );
        if rate > copy {
            line.push_str(
                ". Faster than the driver's copy: that copy is no upper bound, and at small sizes its start \
                 weighs more",
            );
        }
        if !timing.clocks.throttle_reasons.is_empty() {
            line.push_str(". The GPU held its clocks back: ");
            line.push_str(&timing.clocks.throttle_reasons.join(", "));
        }
        Some(line)
    }

    /// The line on races and the like.
    pub fn checked_line(&self) -> String {
        match &self.checked {
            Checked::Not(_) => format!("races: {}", self.checked),
            checked => format!(
                "no race, no read of what was never written, no barrier that a thread misses: checked {checked}"
            ),
        }
    }

    /// Shows the verdict, what the kernel printed, the bandwidth where it was timed, and the counters in a notebook or page.
    pub fn evcxr_display(&self) {
        let mut html = html::paragraph("ct-verified", &format!("✓ {}", self.verified_line()));
        let mark = match self.checked {
            Checked::Not(_) => "–",
            _ => "✓",
        };
        html.push('\n');
        html.push_str(&html::paragraph(
            "ct-checked",
            &format!("{mark} {}", self.checked_line()),
        ));
        html.push_str(&self.others.html());
        if let Some(line) = self.bandwidth_line() {
            html.push('\n');
            html.push_str(&html::measured(&self.measured(), &line));
        }
        if let Some(words) = &self.in_place_of_time {
            html.push('\n');
            html.push_str(&html::paragraphs("ct-note", words));
        }
        html.push_str(&html::advice(&self.why.advice));
        html.push_str(&html::remarks(&self.remarks));
        html.push_str(&html::printed(&self.printed));
        html.push('\n');
        html.push_str(&html::counters_table(&self.counters, Some(self.wanted())));
        html::show(&html);
    }

    /// What was timed, for programs that compare pages with records.
    fn measured(&self) -> Vec<(&'static str, String)> {
        let median = |timing: &Option<Timing>| {
            timing
                .as_ref()
                .map_or(String::new(), |timing| format!("{:.3}", timing.median_us()))
        };
        let mut facts = vec![
            ("kernel", self.kernel.clone()),
            ("element", self.element().to_string()),
        ];
        match &self.asked {
            Asked::Matrices(problem) => facts.extend([
                ("rows", problem.shape.rows.to_string()),
                ("columns", problem.shape.columns.to_string()),
                ("batches", problem.batches.to_string()),
            ]),
            Asked::Arrays { what, items, .. } => {
                facts.extend([("work", what.clone()), ("items", items.to_string())]);
            }
        }
        facts.extend([
            ("grid", self.grid.to_string()),
            ("block", self.block.to_string()),
            ("us", median(&self.timing)),
            ("copy-us", median(&self.copy)),
        ]);
        facts
    }

    /// The element type; of arrays, that of the results.
    pub fn element(&self) -> ElementType {
        match &self.asked {
            Asked::Matrices(problem) => problem.element,
            Asked::Arrays { element, .. } => *element,
        }
    }

    /// How many results there are.
    pub fn items(&self) -> usize {
        match &self.asked {
            Asked::Matrices(problem) => problem.elements(),
            Asked::Arrays { items, .. } => *items,
        }
    }

    /// What must be read and what must be written.
    pub fn wanted(&self) -> Wanted {
        match &self.asked {
            Asked::Matrices(problem) => problem.wanted(),
            Asked::Arrays { wanted, .. } => *wanted,
        }
    }

    fn verified_line(&self) -> String {
        let what = match &self.asked {
            Asked::Matrices(problem) => {
                let times = match problem.batches {
                    1 => String::new(),
                    n => format!("{n} times "),
                };
                let Problem {
                    operation,
                    shape,
                    element,
                    ..
                } = problem;
                format!("{operation} of {times}{shape} {element}")
            }
            Asked::Arrays { what, .. } => what.clone(),
        };
        format!(
            "{}: {what} verified bit by bit on {}, grid {}, block {}",
            self.kernel, self.device, self.grid, self.block
        )
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}
{}",
            self.verified_line(),
            self.checked_line()
        )?;
        if let Some(line) = self.others.line() {
            write!(f, "\n{line}")?;
        }
        if let Some(line) = self.bandwidth_line() {
            write!(
                f,
                "
{line}"
            )?;
        }
        if let Some(words) = &self.in_place_of_time {
            write!(f, "\n{words}")?;
        }
        for remark in &self.remarks {
            write!(f, "\n{}", remark.message())?;
        }
        f.write_str(&error::printed_lines(&self.printed))
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
