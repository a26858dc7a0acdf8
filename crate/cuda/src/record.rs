//! What the report tells: launches by kernel, findings, remarks, what is not freed. Its JSON is in `json`.

mod explained;
mod json;

use std::collections::{BTreeMap, HashMap};

use cornerturn_emulator::advice::Explanation;
use cornerturn_emulator::{Counters, Early, Finding, LineCount, Report, Site, Touched};

use crate::driver::Driver;
use crate::host;
use crate::launch::KernelLaunch;
use crate::memory::Kind;
use crate::place::{self, Place};
use crate::settings::Settings;

/// What an operation touches, for who compares it with others.
#[derive(Debug, Default)]
pub(crate) struct Trod {
    pub(crate) touched: Touched,
    pub(crate) early: Option<Early>,
    /// What it takes, in nanoseconds of the clock.
    pub(crate) ns: u64,
}

/// The most findings of a kernel, and notes on a program, that are kept.
const MOST_FINDINGS: usize = 1000;
/// The most kernels that are told apart.
const MOST_KERNELS: usize = 100_000;

/// A finding or remark on the host program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// A word for it, as kinds of findings are.
    pub kind: String,
    /// A sentence without its full stop.
    pub message: String,
    /// Where the program does it.
    pub place: Option<Place>,
    /// How often.
    pub count: u64,
}

impl Note {
    /// A note.
    pub fn new(kind: &str, message: String, place: Option<Place>) -> Self {
        Self {
            kind: kind.to_string(),
            message,
            place,
            count: 1,
        }
    }

    pub(crate) fn here(kind: &str, message: &str) -> Self {
        Self::new(kind, message.to_string(), place::here())
    }
}

/// What the launches of a kernel did, added up.
#[derive(Debug, Clone)]
pub struct KernelRecord {
    /// Its name in the PTX.
    pub name: String,
    /// How often it was launched.
    pub launches: u64,
    /// Sums over the launches that came to their end.
    pub counters: Counters,
    /// PTX instructions issued by warps, over all launches.
    pub warp_instructions: u64,
    /// Nanoseconds that the clock of events counts for them.
    pub clock_ns: u64,
    /// Grid, block and dynamic shared memory of the launch with the most instructions.
    pub largest: ([u32; 3], [u32; 3], u32),
    /// What it did wrong, each once for its place.
    pub findings: Vec<Finding>,
    /// What is worth a remark.
    pub remarks: Vec<Finding>,
    /// Where it was first launched.
    pub place: Option<Place>,
    largest_instructions: u64,
    sites: Vec<Site>,
    lines: Vec<LineCount>,
}

impl KernelRecord {
    fn new(launch: &KernelLaunch) -> Self {
        Self {
            name: launch.function.name.clone(),
            launches: 0,
            counters: Counters::default(),
            warp_instructions: 0,
            clock_ns: 0,
            largest: (launch.grid, launch.block, launch.shared_bytes),
            findings: Vec::new(),
            remarks: Vec::new(),
            place: place::here(),
            largest_instructions: 0,
            sites: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Why the launch with the most instructions is slow. `source` is the text of the kernel's file, if there is one.
    pub fn why(&self, source: Option<&str>) -> Explanation {
        Explanation::new(&self.sites, &self.lines, source)
    }
}

/// All that is told.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// By module and name.
    known: HashMap<(u64, String), usize>,
    kernels: Vec<KernelRecord>,
    findings: Vec<Note>,
    remarks: Vec<Note>,
    /// What kernels printed and nobody has seen yet.
    printed: String,
    /// Whether anybody may ask for sites and lines.
    is_wanted: bool,
    is_finished: bool,
    process: u32,
    /// Calls that are not there, with how often they were asked for.
    pub(crate) missing: BTreeMap<String, u64>,
}

impl Record {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            is_wanted: settings.report.is_some() || settings.check,
            process: std::process::id(),
            ..Self::default()
        }
    }

    /// A launch has run.
    pub(crate) fn launched(&mut self, launch: &KernelLaunch, report: Report, clock_ns: u64) {
        if !report.printed.is_empty() {
            self.printed.push_str(report.printed.text());
        }
        let module = launch.function.module.handle;
        let key = (module, launch.function.name.clone());
        let next = self.kernels.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            if next == MOST_KERNELS {
                return;
            }
            self.kernels.push(KernelRecord::new(launch));
        }
        let kernel = &mut self.kernels[at];
        kernel.launches += 1;
        kernel.counters += report.counters;
        kernel.warp_instructions += report.warp_instructions;
        kernel.clock_ns += clock_ns;
        merge(&mut kernel.findings, report.findings);
        merge(&mut kernel.remarks, report.remarks);
        if self.is_wanted && report.warp_instructions > kernel.largest_instructions {
            kernel.largest_instructions = report.warp_instructions;
            kernel.largest = (launch.grid, launch.block, launch.shared_bytes);
            (kernel.sites, kernel.lines) = (report.sites, report.lines);
        }
    }

    /// Notes something once for each place; again it only counts.
    pub(crate) fn note(&mut self, is_finding: bool, note: Note) {
        let notes = match is_finding {
            true => &mut self.findings,
            false => &mut self.remarks,
        };
        let same = |known: &&mut Note| {
            (&known.kind, &known.message, &known.place) == (&note.kind, &note.message, &note.place)
        };
        let has_room = notes.len() < MOST_FINDINGS;
        match notes.iter_mut().find(same) {
            Some(known) => known.count += note.count,
            None if has_room => notes.push(note),
            None => {}
        }
    }
}

/// Adds what is new; what is known already counts once more.
fn merge(known: &mut Vec<Finding>, found: Vec<Finding>) {
    for one in found {
        let same = |other: &&mut Finding| {
            (other.kind, other.ptx_line, &other.source) == (one.kind, one.ptx_line, &one.source)
                && other.other.as_ref().map(|site| site.ptx_line)
                    == one.other.as_ref().map(|site| site.ptx_line)
        };
        let has_room = known.len() < MOST_FINDINGS;
        match known.iter_mut().find(same) {
            Some(other) => other.count += one.count,
            None if has_room => known.push(one),
            None => {}
        }
    }
}

impl Driver {
    /// Asks for accesses and lines of launches from now on, for [`KernelRecord::why`].
    pub fn want_details(&self) {
        self.record().is_wanted = true;
    }

    /// The kernels that were launched, in the order of their first launches.
    pub fn kernels(&self) -> Vec<KernelRecord> {
        self.record().kernels.clone()
    }

    /// Findings and remarks on the host program.
    pub fn notes(&self) -> (Vec<Note>, Vec<Note>) {
        let record = self.record();
        (record.findings.clone(), record.remarks.clone())
    }

    /// Forgets what was recorded so far: for who wants to know what a part of the program does.
    pub fn forget(&self) {
        let mut record = self.record();
        record.known.clear();
        record.kernels.clear();
        record.findings.clear();
        record.remarks.clear();
    }

    /// Whether anything was found: in kernels or in the host program.
    pub fn has_findings(&self) -> bool {
        let record = self.record();
        !record.findings.is_empty() || record.kernels.iter().any(|one| !one.findings.is_empty())
    }

    /// Prints what kernels have printed since the last time.
    pub fn flush(&self) {
        let printed = {
            let mut record = self.record();
            if record.printed.is_empty() {
                return;
            }
            std::mem::take(&mut record.printed)
        };
        host::print(&printed);
    }

    /// Notes what is not freed, and writes the report where `CORNERTURN_REPORT` asks for one; at the end of a process this
    /// happens by itself. A process that was forked off writes none.
    pub fn finish(&self) {
        self.flush();
        {
            let mut record = self.record();
            if record.is_finished || record.process != std::process::id() {
                return;
            }
            record.is_finished = true;
        }
        for allocation in self.allocated(&[Kind::Device, Kind::Managed, Kind::Pinned, Kind::Array])
        {
            self.note_leak(&allocation);
        }
        let Some(path) = &self.settings().report else {
            return;
        };
        let text = format!("{:#}\n", self.report());
        if let Err(error) = std::fs::write(path, text) {
            host::complain(&format!(
                "the report cannot be written to {}: {error}",
                path.display()
            ));
        }
    }
}
