//! A warp followed step by step, for pages, notebooks and terminals alike: what stands at a step, and where steps are. What
//! was recorded is the emulator's; what registers and variables are called is in `names` and `variables`, a step in words in
//! `view`, a terminal's and a notebook's form in `text` and `html`.

mod html;
mod names;
mod text;
mod values;
mod variables;
mod view;

use cornerturn_emulator::counters::{SECTOR_BYTES, fewest_wavefronts, shared_wavefronts};
use cornerturn_emulator::{Access, Space, Step, StepKind, Steps, Trace};
use cornerturn_runtime::Kernel;
use std::collections::BTreeSet;
use variables::Variables;
pub use view::{LaneRow, StepView};

/// The steps of a warp with the texts that they are of.
#[derive(Debug, Clone)]
pub struct WarpSteps {
    steps: Steps,
    /// What is shown as one step, in order.
    groups: Vec<Group>,
    /// Lines of the PTX.
    ptx: Vec<String>,
    /// Lines of the CUDA C++, and the name of the file; none where the kernel was given as PTX.
    source: Option<(Vec<String>, String)>,
    variables: Variables,
}

/// The warp that a traced launch of a kernel followed: the trace was asked for with [`cornerturn_emulator::TraceRequest::steps`]. As
/// the last expression of a cell its steps are displayed side by side, 200 at most: scroll through them, or press the
/// arrow keys. Without such steps there is nothing in it.
///
/// ```
/// use cornerturn::launch::LaunchOptions;
/// use cornerturn::prelude::*;
///
/// let kernel = Kernel::cuda("extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }")?;
/// let device = Device::emulator();
/// let x = device.upload("x", &[1.5_f32; 64])?;
/// let options = LaunchOptions::traced(TraceRequest::steps([0, 0, 0], 1, 200));
/// let report = device.launch_with(&kernel, 1, 64, args![x], &options)?;
/// let steps = plot::steps(&kernel, &report.trace.unwrap_or_default());
/// assert!(steps.to_text().contains("32 lanes store 4 bytes each: 4 sectors"));
/// # Ok::<(), Error>(())
/// ```
pub fn steps(kernel: &Kernel, trace: &Trace) -> WarpSteps {
    let steps = trace.steps.clone().unwrap_or_default();
    WarpSteps::new(steps, kernel.ptx_text(), kernel.source())
}

/// Steps that are shown as one: what several warps do at a barrier, or one step of the warp.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// Indices of the first and the last into [`Steps::steps`], and of the one that stands for all: the warp's own, if it is
    /// among them.
    first: usize,
    last: usize,
    shown: usize,
}

/// Where a walk is opened.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// A line of [`WarpSteps::code`], from 1.
    pub line: Option<u32>,
    /// The lane that must be active.
    pub lane: Option<u32>,
    /// The address that it accesses.
    pub address: Option<u64>,
}

impl WarpSteps {
    /// `steps` of a launch, the PTX, and its source, if there is one: the file is the one where the warp begins.
    pub fn new(steps: Steps, ptx: &str, source: Option<&str>) -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<String>>();
        let own = steps.steps.iter().filter(|step| step.warp == steps.warp);
        let file = own.filter_map(|step| step.source.as_ref()).next();
        let source = source.zip(file);
        let source = source.map(|(text, place)| (lines(text), place.file.clone()));
        let mut walk = Self {
            groups: groups(&steps),
            steps,
            ptx: lines(ptx),
            source,
            variables: Variables::default(),
        };
        walk.variables = Variables::of(&walk);
        walk
    }

    /// What was recorded.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The text whose lines are stepped through: CUDA C++, or the PTX where the kernel was given as that.
    pub fn code(&self) -> &[String] {
        match &self.source {
            Some((lines, _)) => lines,
            None => &self.ptx,
        }
    }

    /// The variables whose values are known at some step, in the order in which they are first assigned.
    pub fn variables(&self) -> Vec<&str> {
        self.variables.names()
    }

    /// Whether there is a step of the warp itself.
    pub fn has_own(&self) -> bool {
        self.steps.steps.iter().any(|step| self.is_own(step))
    }

    /// How many steps are shown.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// The recorded steps that are shown, in order: of several warps that do the same at a barrier, one.
    pub fn shown(&self) -> impl Iterator<Item = &Step> {
        self.groups
            .iter()
            .map(|group| &self.steps.steps[group.shown])
    }

    /// Whether a step is one of the warp itself, not what others do at a barrier.
    pub fn is_own(&self, step: &Step) -> bool {
        step.warp == self.steps.warp
    }

    /// The line of [`WarpSteps::code`] of a step; none where it has none, or is in another file.
    pub fn line(&self, step: &Step) -> Option<u32> {
        match &self.source {
            None => Some(step.ptx_line).filter(|line| *line > 0),
            Some((_, file)) => {
                let source = step.source.as_ref()?;
                (source.file == *file).then_some(source.line)
            }
        }
    }

    /// The step at which to open it: of those at the target's line, the one that accesses the address, else the first whose
    /// access takes the most beyond the fewest; none where the warp has no such step.
    pub fn find(&self, target: &Target) -> Option<usize> {
        let is_there = |step: &Step| {
            let has_lane = target
                .lane
                .is_none_or(|lane| step.mask >> (lane % 32) & 1 != 0);
            self.is_own(step) && target.line.is_some() && self.line(step) == target.line && has_lane
        };
        let mut best: Option<(u64, usize)> = None;
        for (at, step) in self.shown().enumerate() {
            if !is_there(step) {
                continue;
            }
            let hits = |access: &Access| match (target.address, target.lane) {
                (Some(address), Some(lane)) => {
                    access.addresses[lane as usize % 32] == Some(address)
                }
                _ => false,
            };
            let worth = match step.accesses.iter().any(hits) {
                true => u64::MAX,
                false => step
                    .accesses
                    .iter()
                    .map(excess)
                    .max()
                    .map_or(0, |most| most + 1),
            };
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// The warp's first step; that of another one where it has none.
    pub fn first(&self) -> usize {
        let own = self.shown().position(|step| self.is_own(step));
        own.unwrap_or(0)
    }

    /// What stands at a step: the last one where there are fewer, none where there is none.
    pub fn view(&self, at: usize) -> Option<StepView> {
        let last = self.count().checked_sub(1)?;
        Some(view::view(self, at.min(last)))
    }

    /// A step in words, as they are heard.
    pub fn words(&self, view: &StepView) -> String {
        let mut parts = vec![format!("Step {}", view.number)];
        match (view.line, &view.elsewhere) {
            (Some(line), _) => parts.push(format!("line {line}")),
            (None, Some(elsewhere)) => parts.push(elsewhere.clone()),
            (None, None) => {}
        }
        if view.warp == self.steps.warp {
            parts.push(view.lanes.clone());
        }
        let told = view
            .rows
            .iter()
            .filter(|row| row.is_new && row.what != "access");
        parts.extend(told.map(|row| format!("{} = {}", row.name, row.words)));
        parts.extend(view.access.iter().map(|(_, words)| words.clone()));
        parts.extend(view.event.clone());
        if view.event.is_some() && !view.waiting.is_empty() {
            parts.push(view.waiting.clone());
        }
        parts.join(". ")
    }

    /// The number of a step among the warp's instructions, from 1; of another warp's, that of the last one before it.
    pub fn number(&self, at: usize) -> u64 {
        let end = self
            .groups
            .get(at)
            .map_or(usize::MAX, |group| group.last + 1);
        let before = self.steps.steps.iter().take(end);
        let own =
            before.filter(|step| self.is_own(step) && !matches!(step.kind, StepKind::Released(_)));
        self.steps.skipped + own.count() as u64
    }

    /// The text of the PTX instruction at a line; empty where there is none.
    fn instruction(&self, ptx_line: u32) -> &str {
        let line = (ptx_line as usize).checked_sub(1);
        let line = line.and_then(|line| self.ptx.get(line));
        line.map_or("", |line| line.trim())
    }
}

/// What several warps do at one barrier, one after the other, is one step; and so is that they end.
fn groups(steps: &Steps) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, step) in steps.steps.iter().enumerate() {
        let is_own = step.warp == steps.warp;
        let joins = |group: &&mut Group| {
            let before = &steps.steps[group.shown];
            let is_of_all = matches!(step.kind, StepKind::Released(_));
            let are_others = !is_own && before.warp != steps.warp;
            let is_same = (before.kind, before.ptx_line) == (step.kind, step.ptx_line);
            is_same && (is_of_all || are_others && step.kind != StepKind::Plain)
        };
        match groups.last_mut().filter(joins) {
            Some(group) => {
                group.last = at;
                group.shown = if is_own { at } else { group.shown };
            }
            None => groups.push(Group {
                first: at,
                last: at,
                shown: at,
            }),
        }
    }
    groups
}

/// Sectors or wavefronts of an access beyond the fewest that could serve its lanes.
fn excess(access: &Access) -> u64 {
    let (addresses, bytes) = (&access.addresses, access.access_bytes);
    match access.space {
        Space::Shared => {
            let fewest = fewest_wavefronts(addresses, bytes, access.is_store);
            u64::from(shared_wavefronts(addresses, bytes, access.is_store).saturating_sub(fewest))
        }
        Space::Global => {
            let lanes = addresses.iter().flatten().count() as u64;
            let fewest = (lanes * u64::from(bytes)).div_ceil(SECTOR_BYTES);
            (sectors_of(access).len() as u64).saturating_sub(fewest)
        }
        _ => 0,
    }
}

/// The 32-byte sectors of an access.
fn sectors_of(access: &Access) -> BTreeSet<u64> {
    let last = u64::from(access.access_bytes.max(1)) - 1;
    let of = |address: &u64| address / SECTOR_BYTES..=address.saturating_add(last) / SECTOR_BYTES;
    access.addresses.iter().flatten().flat_map(of).collect()
}
