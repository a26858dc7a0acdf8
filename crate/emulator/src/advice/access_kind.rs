//! Why an access takes more than it has to, by how its lanes lie and by the text of its statement. How much is in `causes`.

use crate::advice::kind::AdviceKind;
use crate::advice::pattern::LanePattern;
use crate::advice::statements::{arrays_of, has_structures, takes_member};
use crate::advice::table::{LineAccess, Operation, fields_beside};
use crate::counters::SECTOR_BYTES;

/// Lanes that meet at an address of shared memory, on average, from which on atomics are added up beforehand with profit.
const LEAST_MEETING: f64 = 1.5;
/// Addresses without order meet in banks by chance, 3.5 of 32 in the busiest one on average: below so many times the fewest
/// wavefronts no other arrangement helps.
const BY_CHANCE: u64 = 4;

/// Why an access to global memory touches more sectors than it needs; nothing where it cannot be helped. `text` is that of
/// the kernel's file.
pub(super) fn of_global(
    row: &LineAccess,
    pattern: LanePattern,
    all: &[LineAccess],
    text: Option<&str>,
) -> Option<AdviceKind> {
    let width = i64::from(row.access_bytes);
    match pattern {
        LanePattern::Stride { bytes, run: 32 } if bytes.abs() == width => {
            // Else only idle lanes between them are missing.
            let is_off = row
                .begin(bytes)
                .is_none_or(|begin| begin % SECTOR_BYTES != 0);
            (is_off && !is_stencil(row, all, text)).then_some(AdviceKind::Offset)
        }
        LanePattern::Stride { .. } if is_structure(row, all, text) => Some(AdviceKind::Structure),
        LanePattern::Stride { .. } | LanePattern::Same => Some(AdviceKind::Stride),
        LanePattern::Scattered => Some(AdviceKind::Scattered),
    }
}

/// Why an access to shared memory takes more wavefronts than it needs; nothing where lanes meet in banks by chance, or the
/// assembler has one lane do it for all.
pub(super) fn of_shared(row: &LineAccess, pattern: LanePattern) -> Option<AdviceKind> {
    if row.operation == Operation::Atomic && row.meeting() >= LEAST_MEETING {
        return Some(AdviceKind::Atomic);
    }
    let is_scattered = pattern == LanePattern::Scattered;
    let is_chance = is_scattered && row.wavefronts < BY_CHANCE * row.fewest_wavefronts;
    (!is_chance).then_some(AdviceKind::BankConflict)
}

/// Whether lanes take fields of structures: the text says so, and without one that accesses lie in the same structures.
fn is_structure(row: &LineAccess, all: &[LineAccess], text: Option<&str>) -> bool {
    let has_fields = || row.fields > 0 || !fields_beside(row, all).is_empty();
    match (text, &row.source) {
        (Some(text), Some(source)) => {
            takes_member(text, source.line) || has_structures(text) && has_fields()
        }
        _ => has_fields(),
    }
}

/// Whether a line loads neighbours of elements that are loaded from the begin of a sector on, beside which they cannot be:
/// on the same line or on another one, by the names of arrays.
fn is_stencil(row: &LineAccess, all: &[LineAccess], text: Option<&str>) -> bool {
    let (Some(text), Some(source)) = (text, &row.source) else {
        return row.neat_sites > 0;
    };
    let arrays = arrays_of(text, source.line);
    let times = |name: &&str| arrays.iter().filter(|other| *other == name).count();
    let loads_more = row.sites as usize > arrays.len() || arrays.iter().any(|name| times(name) > 1);
    let has_same = |other: &LineAccess| {
        let line = other.source.as_ref().map(|source| source.line);
        let names = line.map_or_else(Vec::new, |line| arrays_of(text, line));
        names.iter().any(|name| arrays.contains(name))
    };
    let is_load = |row: &LineAccess| row.operation == Operation::Load;
    let is_beside = |other: &LineAccess| {
        let is_other = other.source != row.source && other.space == row.space;
        is_load(other) && is_other && other.neat_sites > 0 && has_same(other)
    };
    row.neat_sites > 0 && loads_more || is_load(row) && all.iter().any(is_beside)
}
