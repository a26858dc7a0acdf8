//! What one warp's access did, in lines of text and as a picture: the line of the kernel, the lanes that want one bank, the sectors that are touched. The rules are the emulator's.

use super::traced;
use super::trial::Trial;
use cornerturn_base::error::Result;
use cornerturn_emulator::counters::{self, BANK_BYTES, SECTOR_BYTES};
use cornerturn_emulator::{Access, Site, SourceLine, Space, TraceRequest};
use cornerturn_plot::{self as plot, Figure};
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchReport;
use std::collections::BTreeMap;

/// The blocks whose accesses are looked at.
const BLOCKS: [[u32; 3]; 3] = [[0, 0, 0], [1, 0, 0], [0, 1, 0]];
/// The most accesses that are looked at.
const MOST_ACCESSES: usize = 1 << 14;
/// The most banks or sectors that lines are spent on.
const MOST_LINES: usize = 4;

/// Lines and a picture of one access.
#[derive(Default)]
pub(super) struct Sketch {
    pub(super) text: String,
    pub(super) picture: Option<Figure>,
}

/// The access that costs most of what `counter` counts; empty where no single access is to blame.
pub(super) fn worst(
    trial: &Trial,
    kernel: &Kernel,
    report: &LaunchReport,
    counter: &str,
) -> Result<Sketch> {
    let sites = report.sites.iter().enumerate();
    let counted = sites.filter(|(_, site)| is_counted(counter, site) && site.requests > 0);
    let cost = |site: &Site| match site.space {
        Space::Shared => site.wavefronts,
        _ => site.sectors,
    };
    // As a fraction of whole numbers; the first of equals.
    let worst = counted.reduce(|a, b| {
        let (left, right) = (cost(a.1) * b.1.requests, cost(b.1) * a.1.requests);
        if right > left { b } else { a }
    });
    let Some((number, site)) = worst else {
        return Ok(Sketch::default());
    };
    let grid = trial.exercise.grid(trial.size).array();
    let inside = |block: &[u32; 3]| block.iter().zip(grid).all(|(at, blocks)| *at < blocks);
    let request = TraceRequest {
        blocks: BLOCKS.into_iter().filter(inside).collect(),
        warps: None,
        max_accesses: MOST_ACCESSES,
        ..TraceRequest::default()
    };
    let trace = trial.traced(kernel, request)?.trace.unwrap_or_default();
    let accesses = trace.accesses.iter().filter(|access| access.site == number);
    let access = accesses.reduce(|a, b| if cost_of(b) > cost_of(a) { b } else { a });
    Ok(access.map_or_else(Sketch::default, |access| {
        sketch(trial, kernel, site, access)
    }))
}

/// Whether a counter of this name counts what the site does.
fn is_counted(counter: &str, site: &Site) -> bool {
    let has = |word: &str| counter.contains(word);
    let space = match site.space {
        Space::Shared => has("shared_") || has("bank_conflicts"),
        Space::Global => has("global_") || has("sectors"),
        Space::Const => has("constant_"),
        _ => false,
    };
    let is_atomic = has("atom") || has("_red_");
    let direction = match (has("load"), has("store")) {
        (true, false) => !site.is_store,
        (false, true) => site.is_store,
        _ => true,
    };
    let bytes = has("_bytes");
    space && direction && !bytes && (is_atomic == site.is_atomic)
}

fn cost_of(access: &Access) -> u32 {
    match access.space {
        Space::Const => traced::constant_words(access) as u32,
        Space::Shared => {
            counters::shared_wavefronts(&access.addresses, access.access_bytes, access.is_store)
        }
        _ => counters::sectors(&access.addresses, access.access_bytes),
    }
}

fn sketch(trial: &Trial, kernel: &Kernel, site: &Site, access: &Access) -> Sketch {
    let mut text = site
        .source
        .as_ref()
        .map_or(String::new(), |place| line(kernel, place));
    let direction = match (site.is_atomic, access.is_store) {
        (true, _) => "atomic",
        (false, true) => "store",
        (false, false) => "load",
    };
    let [x, y, z] = access.block;
    let bytes = access.access_bytes;
    let what = format!(
        "warp {} of block ({x}, {y}, {z}), a {} {direction} of {bytes} bytes a lane",
        access.warp,
        access.space.name()
    );
    let cost = cost_of(access);
    let place = site
        .source
        .as_ref()
        .map_or(String::new(), |s| format!("{}:{}, ", s.file, s.line));
    let title = format!("{place}one {} {direction} of a warp", access.space.name());
    let picture = match access.space {
        Space::Const => {
            text.push_str(&format!(
                "{what}: {} at one time",
                plural(cost, "different word")
            ));
            None
        }
        Space::Shared => {
            let least = counters::fewest_wavefronts(&access.addresses, bytes, access.is_store);
            text.push_str(&format!(
                "{what}: {}, {least} would do without conflicts",
                plural(cost, "wavefront")
            ));
            text.push_str(&banks(access));
            Some(plot::banks(&title, access))
        }
        _ => {
            let active = access.addresses.iter().flatten().count() as u64;
            let least = (active * u64::from(bytes)).div_ceil(SECTOR_BYTES);
            let start = buffer_start(trial, access);
            text.push_str(&format!(
                "{what}: {}, {least} would hold as many bytes",
                plural(cost, "sector")
            ));
            text.push_str(&sectors(access, start));
            Some(plot::sectors(&title, access, start))
        }
    };
    Sketch { text, picture }
}

/// The lanes that want different words of one bank, in the phase with the most wavefronts.
fn banks(access: &Access) -> String {
    let at_once =
        counters::lanes_per_phase(&access.addresses, access.access_bytes, access.is_store);
    let words = u64::from(access.access_bytes).div_ceil(BANK_BYTES).max(1);
    let phase = |first: usize| {
        // By bank the words, each with the first lane that wants it.
        let mut banks: BTreeMap<u32, BTreeMap<u64, usize>> = BTreeMap::new();
        for (lane, address) in access
            .addresses
            .iter()
            .enumerate()
            .skip(first)
            .take(at_once)
        {
            for word in address
                .iter()
                .flat_map(|address| (0..words).map(move |w| address / BANK_BYTES + w))
            {
                let bank = banks
                    .entry(counters::bank_of(word * BANK_BYTES))
                    .or_default();
                bank.entry(word).or_insert(lane);
            }
        }
        banks.retain(|_, words| words.len() > 1);
        banks
    };
    let busiest =
        |banks: &BTreeMap<u32, BTreeMap<u64, usize>>| banks.values().map(BTreeMap::len).max();
    let phases = (0..32).step_by(at_once).map(phase);
    let Some(banks) = phases.reduce(|a, b| if busiest(&b) > busiest(&a) { b } else { a }) else {
        return String::new();
    };
    listed(
        "banks",
        banks.iter().map(|(bank, words)| {
            let mut lanes: Vec<usize> = words.values().copied().collect();
            lanes.sort_unstable();
            lanes.dedup();
            format!(
                "bank {bank:2}: {} want {} different words of it",
                said(&lanes),
                words.len()
            )
        }),
    )
}

/// The sectors that are touched, and by which lanes.
fn sectors(access: &Access, start: u64) -> String {
    let mut sectors: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (lane, address) in access.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        let last = address + u64::from(access.access_bytes.max(1)) - 1;
        for sector in address / SECTOR_BYTES..=last / SECTOR_BYTES {
            sectors.entry(sector).or_default().push(lane);
        }
    }
    listed(
        "sectors",
        sectors.iter().map(|(sector, lanes)| {
            let byte = (sector * SECTOR_BYTES).saturating_sub(start);
            format!("sector at byte {byte}: {}", said(lanes))
        }),
    )
}

/// The first few lines, and how many more there would be.
fn listed(what: &str, lines: impl ExactSizeIterator<Item = String>) -> String {
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut text: String = lines
        .take(MOST_LINES)
        .map(|line| format!("\n  {line}"))
        .collect();
    if more > 0 {
        text.push_str(&format!("\n  … and {more} more {what}"));
    }
    text
}

/// "lanes 0–7, 16, 24–31", in steps too: "lanes 0, 8, 16, 24".
fn said(lanes: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = lanes;
    while let Some(&first) = rest.first() {
        let run = rest
            .iter()
            .enumerate()
            .take_while(|(i, lane)| **lane == first + i)
            .count();
        match run {
            1 => parts.push(first.to_string()),
            2 => parts.extend([first.to_string(), (first + 1).to_string()]),
            n => parts.push(format!("{first}–{}", first + n - 1)),
        }
        rest = &rest[run..];
    }
    let word = if lanes.len() == 1 { "lane" } else { "lanes" };
    format!("{word} {}", parts.join(", "))
}

/// The line of the participant's file, on a line of its own; empty where it is not known.
pub(super) fn line(kernel: &Kernel, place: &SourceLine) -> String {
    let number = (place.line as usize).checked_sub(1);
    let source = kernel.source().filter(|_| !place.file.is_empty());
    let text = number.and_then(|number| source?.lines().nth(number));
    text.map_or(String::new(), |text| {
        format!("{}:{}: {}\n", place.file, place.line, text.trim())
    })
}

fn plural(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The first byte of the buffer that the access reaches.
fn buffer_start(trial: &Trial, access: &Access) -> u64 {
    let lowest = access
        .addresses
        .iter()
        .flatten()
        .min()
        .copied()
        .unwrap_or(0);
    let holds = |buffer: &&cornerturn_runtime::buffer::RawBuffer| {
        (buffer.address()..buffer.address() + buffer.bytes() as u64).contains(&lowest)
    };
    let mut buffers = trial.given.buffers().into_iter();
    buffers.find(holds).map_or(0, |buffer| buffer.address())
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn lanes_are_listed_shortly() {
        assert_eq!(said(&[3]), "lane 3");
        assert_eq!(said(&[0, 8, 16, 24]), "lanes 0, 8, 16, 24");
        assert_eq!(said(&[0, 1, 2, 3, 9, 10, 12]), "lanes 0–3, 9, 10, 12");
    }
}
