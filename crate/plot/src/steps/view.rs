//! One step as it is shown: the lanes, what they write and access, who waits where. Words and cells only; how they are laid out is others'.

use super::super::banks;
use super::super::style::{counted, one_line};
use super::values::{Kind, in_words, lanes, numbers};
use super::{Group, WarpSteps, names, sectors_of};
use cornerturn_emulator::counters::{BANK_BYTES, BANKS, SECTOR_BYTES};
use cornerturn_emulator::{Access, Space, Step, StepKind};

/// A step of a [`WarpSteps`], ready to be shown.
#[derive(Debug, Clone)]
pub struct StepView {
    /// Index of the step.
    pub at: usize,
    /// Its number among the warp's instructions, from 1.
    pub number: u64,
    /// The warp in the block: another one where that comes to a barrier.
    pub warp: u32,
    /// Line of [`WarpSteps::code`], from 1, if it has one there.
    pub line: Option<u32>,
    /// Where it is instead: file and line of what is included.
    pub elsewhere: Option<String>,
    /// The PTX instruction; empty where there is none.
    pub instruction: String,
    /// The lanes that have come here together, one bit each.
    pub active: u32,
    /// Those of them that execute it.
    pub mask: u32,
    /// Which lanes execute it, in words.
    pub lanes: String,
    /// What happens beside values and accesses, in words: a branch, a barrier, an end.
    pub event: Option<String>,
    /// Values by lane: what is written, what is accessed, and the variables.
    pub rows: Vec<LaneRow>,
    /// What it accesses, first of all, with the words on it.
    pub access: Option<(Access, String)>,
    /// Who waits at which barrier now, in words; empty where nobody does.
    pub waiting: String,
}

/// What each lane has of something.
#[derive(Debug, Clone)]
pub struct LaneRow {
    /// A register, a variable, `address`, `bank` or `sector`.
    pub name: String,
    /// `written`, `access` or `variable`.
    pub what: &'static str,
    /// Whether this step has changed it.
    pub is_new: bool,
    /// By lane; none where the lane has none.
    pub cells: [Option<String>; 32],
    /// The lanes that are served later than others, one bit each: their banks are asked for several words.
    pub crowded: u32,
    /// The same in a few words.
    pub words: String,
}

impl LaneRow {
    fn new(name: &str, what: &'static str, is_new: bool, cells: [Option<String>; 32]) -> Self {
        let words = in_words(&cells);
        Self {
            name: name.to_owned(),
            what,
            is_new,
            cells,
            crowded: 0,
            words,
        }
    }
}

pub(super) fn view(walk: &WarpSteps, at: usize) -> StepView {
    let group = walk.groups[at];
    let step = &walk.steps.steps[group.shown];
    let line = walk.line(step);
    let elsewhere = (step.source.as_ref().filter(|_| line.is_none()))
        .map(|source| format!("{}:{}", source.file, source.line));
    let mut rows: Vec<LaneRow> = (names::written(walk, step).into_iter())
        .map(|(name, kind, values)| written_row(step, (name, kind), values))
        .collect();
    let access = step.accesses.first();
    rows.extend(access.into_iter().flat_map(access_rows));
    for name in walk.variables.names() {
        if let Some((is_new, cells)) = walk.variables.at(name, group.last) {
            rows.push(LaneRow::new(name, "variable", is_new, cells));
        }
    }
    StepView {
        at,
        number: walk.number(at),
        warp: step.warp,
        line,
        elsewhere,
        instruction: one_line(walk.instruction(step.ptx_line)),
        active: step.active,
        mask: step.mask,
        lanes: lane_words(step),
        event: event(walk, group),
        rows,
        access: access.map(|access| (access.clone(), access_words(&step.accesses))),
        waiting: waiting(walk, group.last),
    }
}

fn written_row(step: &Step, (name, kind): (&str, Kind), values: &[u64; 32]) -> LaneRow {
    let cells =
        std::array::from_fn(|lane| (step.mask >> lane & 1 != 0).then(|| kind.show(values[lane])));
    LaneRow::new(name, "written", true, cells)
}

fn access_rows(access: &Access) -> Vec<LaneRow> {
    let each = |show: &dyn Fn(u64) -> String| access.addresses.map(|address| address.map(show));
    match access.space {
        Space::Shared => {
            let words = banks::words_per_lane(access);
            let bank = |address: u64| {
                let first = address / BANK_BYTES % u64::from(BANKS);
                match words {
                    1 => first.to_string(),
                    _ => format!("{first} to {}", (first + words - 1) % u64::from(BANKS)),
                }
            };
            let mut row = LaneRow::new("bank", "access", true, each(&bank));
            row.crowded = banks::crowded(access);
            let byte = LaneRow::new("byte", "access", true, each(&|address| address.to_string()));
            vec![byte, row]
        }
        Space::Global => {
            let first = access
                .addresses
                .iter()
                .flatten()
                .min()
                .copied()
                .unwrap_or(0)
                / SECTOR_BYTES;
            let sector = |address: u64| (address / SECTOR_BYTES - first).to_string();
            let address = LaneRow::new(
                "address",
                "access",
                true,
                each(&|address| format!("0x{address:x}")),
            );
            vec![
                address,
                LaneRow::new("sector", "access", true, each(&sector)),
            ]
        }
        _ => vec![LaneRow::new(
            "byte",
            "access",
            true,
            each(&|address| address.to_string()),
        )],
    }
}

fn lane_words(step: &Step) -> String {
    let count = step.mask.count_ones();
    let here = match count {
        0 => "no lane".to_owned(),
        32 => "all 32 lanes".to_owned(),
        1 => format!("1 lane of 32: {}", numbers(&lanes(step.mask))),
        _ => format!("{count} lanes of 32: {}", numbers(&lanes(step.mask))),
    };
    match step.active == step.mask {
        true => here,
        false => format!(
            "{here}; the guard holds back {}",
            numbers(&lanes(step.active & !step.mask))
        ),
    }
}

fn event(walk: &WarpSteps, group: Group) -> Option<String> {
    let step = &walk.steps.steps[group.shown];
    let text = walk.instruction(step.ptx_line);
    let mut warps: Vec<u32> = (walk.steps.steps[group.first..=group.last].iter())
        .map(|step| step.warp)
        .collect();
    warps.sort_unstable();
    warps.dedup();
    let (warp, s) = match warps[..] {
        [only] if only == walk.steps.warp => ("the warp".to_owned(), "s"),
        [only] => (format!("warp {only}"), "s"),
        _ => (format!("warps {}", numbers(&warps)), ""),
    };
    Some(match step.kind {
        StepKind::Plain if step.ptx_line == 0 => format!("{warp} return{s} from a function"),
        StepKind::Plain => return None,
        StepKind::Branch(holds) => {
            let jumps = if text.starts_with("@!") {
                step.mask & !holds
            } else {
                holds
            };
            match (jumps, step.mask & !jumps) {
                (0, _) => "branch: all go on to the next instruction".to_owned(),
                (_, 0) => "branch: all jump".to_owned(),
                (jump, stay) => format!(
                    "the lanes part: {} jump, {} go on; they run one after the other until they meet again",
                    numbers(&lanes(jump)),
                    numbers(&lanes(stay))
                ),
            }
        }
        StepKind::Barrier(barrier) if text.contains(".arrive") => {
            format!(
                "{warp} arrive{s} at barrier {barrier}, and go{} on",
                if s.is_empty() { "" } else { "es" }
            )
        }
        StepKind::Barrier(barrier) => format!("{warp} come{s} to barrier {barrier}"),
        StepKind::Released(barrier) => format!(
            "barrier {barrier} is complete: {warp} go{} on",
            if s.is_empty() { "" } else { "es" }
        ),
        StepKind::Exit => match warps.len() {
            1 => format!(
                "{} of {warp} end",
                counted(step.mask.count_ones().into(), "lane", "lanes")
            ),
            _ => format!("lanes of {warp} end"),
        },
    })
}

fn access_words(accesses: &[Access]) -> String {
    let one = |access: &Access| {
        if access.space == Space::Shared {
            return format!(
                "shared memory: {}",
                banks::summary(access, &banks::phases(access))
            );
        }
        let count = access.addresses.iter().flatten().count() as u64;
        let verb = if access.is_store { "store" } else { "load" };
        let verb = if count == 1 {
            format!("{verb}s")
        } else {
            verb.to_owned()
        };
        let bytes = counted(access.access_bytes.into(), "byte", "bytes");
        let lanes = counted(count, "lane", "lanes");
        let mut words = format!(
            "{} memory: {lanes} {verb} {bytes} each",
            access.space.name()
        );
        if access.space == Space::Global {
            let sectors = sectors_of(access).len() as u64;
            let fewest = (count * u64::from(access.access_bytes)).div_ceil(SECTOR_BYTES);
            words.push_str(&format!(": {}", counted(sectors, "sector", "sectors")));
            if sectors > fewest && fewest > 0 {
                words.push_str(&format!(" where {fewest} could hold as many bytes"));
            }
        }
        words
    };
    accesses.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Which warps wait at which barrier after a step, and which have not come.
fn waiting(walk: &WarpSteps, at: usize) -> String {
    let warps = walk.steps.threads.div_ceil(32) as usize;
    let mut waits: Vec<Option<u32>> = vec![None; warps];
    let mut ended = vec![0u32; warps];
    for step in walk.steps.steps.iter().take(at + 1) {
        let Some(wait) = waits.get_mut(step.warp as usize) else {
            continue;
        };
        match step.kind {
            StepKind::Barrier(_) if walk.instruction(step.ptx_line).contains(".arrive") => {}
            StepKind::Barrier(barrier) => *wait = Some(barrier),
            StepKind::Released(_) => *wait = None,
            StepKind::Exit => ended[step.warp as usize] |= step.mask,
            StepKind::Plain | StepKind::Branch(_) => {}
        }
    }
    let mut barriers: Vec<u32> = waits.iter().copied().flatten().collect();
    barriers.sort_unstable();
    barriers.dedup();
    let whole = |warp: usize| match walk.steps.threads as usize - 32 * warp {
        threads @ 0..32 => (1 << threads) - 1,
        _ => u32::MAX,
    };
    let is_missing =
        |warp: usize, barrier: u32| waits[warp] != Some(barrier) && ended[warp] != whole(warp);
    let which = |is_it: &dyn Fn(usize) -> bool| -> Vec<u32> {
        (0..warps)
            .filter(|warp| is_it(*warp))
            .map(|warp| warp as u32)
            .collect()
    };
    let one = |barrier: u32| {
        let here = which(&|warp| waits[warp] == Some(barrier));
        let missing = which(&|warp| is_missing(warp, barrier));
        let verb = if here.len() == 1 { "waits" } else { "wait" };
        let noun = if here.len() == 1 { "warp" } else { "warps" };
        let rest = match missing.len() {
            0 => "all have come".to_owned(),
            1 => format!("warp {} is still to come", numbers(&missing)),
            _ => format!("warps {} are still to come", numbers(&missing)),
        };
        format!(
            "{noun} {} {verb} at barrier {barrier}; {rest}",
            numbers(&here)
        )
    };
    barriers.into_iter().map(one).collect::<Vec<_>>().join(". ")
}
