//! What an index past its array is likely to be, by the instruction that uses it: what it adds, what it is tested by, how it runs.

use std::collections::HashSet;

use crate::decode::DecodedEntry;
use crate::machine::deciding::targets;
use crate::machine::inst::{Action, Inst};
use crate::memory::faults::Fault;
use crate::program::kinds::NO_SLOT;
use crate::report::{BufferInfo, IndexFault, Space};
use crate::run::preset::LaunchShape;

/// An address this far below its buffer comes from an index that has overflowed.
const OVERFLOWN_BYTES: u64 = 1 << 30;

/// Branches times instructions beyond which nothing is looked for.
const MOST_WORK: usize = 1 << 22;

/// What is likely wrong with the index of an access past the bounds of `buffer`, at an address there.
pub(super) fn index_fault(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    (fault, address): (&Fault, u64),
    buffer: Option<&BufferInfo>,
) -> IndexFault {
    let program = &entry.program;
    let Some(buffer) = buffer else {
        return IndexFault::Unknown;
    };
    let Some(at) = (entry.code.iter()).position(|inst| {
        inst.place == fault.place && matches!(inst.action, Action::Access(_) | Action::Wait(_))
    }) else {
        return IndexFault::Unknown;
    };
    // Where it would be without the distance that the text adds: a member of a structure is none.
    let added = entry.code[at].imm as i64;
    let from = address.wrapping_sub(added as u64);
    let is_neighbour = from.wrapping_sub(buffer.base) < buffer.bytes as u64;
    if (address as i64) < buffer.base as i64 {
        return match (buffer.base as i64).wrapping_sub(address as i64) as u64 {
            _ if is_neighbour => IndexFault::NeighbourBefore,
            below if below >= OVERFLOWN_BYTES => IndexFault::Overflown,
            _ => IndexFault::Negative,
        };
    }
    let dynamic = u64::from(program.dynamic_shared_offset);
    let is_shared = fault.space == Some(Space::Shared);
    let bytes = shape.dynamic_shared_bytes;
    // Past a static array there may be dynamic memory enough.
    if is_shared && program.uses_dynamic_shared && address >= dynamic + u64::from(bytes) {
        return IndexFault::Dynamic { bytes };
    }
    let is_flat = shape.block[1] * shape.block[2] == 1 && shape.grid[1] * shape.grid[2] == 1;
    let is_global = fault.space == Some(Space::Global);
    // Whether each thread accesses the element of its own number.
    let element = (address - buffer.base) / u64::from(fault.access_bytes.max(1));
    let number = fault.block * u64::from(shape.threads()) + u64::from(fault.thread);
    let is_own = element == number;
    match tests(entry, at as u32) {
        Tests { guards: true, .. } if is_neighbour && added > 0 => IndexFault::NeighbourBehind,
        _ if address < buffer.base + buffer.bytes as u64 => IndexFault::Across,
        Tests { guards: true, .. } if is_flat && is_global && is_own => IndexFault::OneTooMany,
        Tests { guards: true, .. } if !is_flat && is_global => IndexFault::OtherRow,
        Tests { rounds: true, .. } => IndexFault::TooManyRounds,
        Tests { guards: true, .. } if is_global => IndexFault::OtherTest,
        _ if is_global => {
            let threads = shape.block.iter().chain(&shape.grid);
            let threads: u64 = threads.map(|size| u64::from(*size)).product();
            let elements = buffer.bytes as u64 / u64::from(fault.access_bytes.max(1));
            let blocks = threads / u64::from(shape.threads()).max(1);
            // As many as each thread takes, if all take as many.
            let taken = elements.div_ceil(threads.max(1)) * threads;
            match threads <= elements {
                true if blocks > 1 && fault.block + 1 == blocks && element < taken => {
                    IndexFault::LastBlock
                }
                true => IndexFault::Scaled,
                false => IndexFault::NoTest { is_flat },
            }
        }
        _ => IndexFault::Unknown,
    }
}

/// By what it is decided whether an instruction is executed.
#[derive(Debug, Clone, Copy, Default)]
struct Tests {
    /// A branch past it, or a guard of its own.
    guards: bool,
    /// The end of a loop around it.
    rounds: bool,
}

fn tests(entry: &DecodedEntry, at: u32) -> Tests {
    let code = &entry.code;
    let is_branch = |inst: &&Inst| matches!(inst.action, Action::Branch { .. });
    let branches = code.iter().filter(is_branch).count();
    let mut found = Tests {
        guards: code[at as usize].guard != NO_SLOT,
        rounds: false,
    };
    if branches * code.len() > MOST_WORK {
        return found;
    }
    let behind = reached(entry, at + 1);
    for (pc, inst) in code.iter().enumerate() {
        let Action::Branch { taken, other, .. } = inst.action else {
            continue;
        };
        let leads = [taken, other].map(|target| reached(entry, target).contains(&at));
        if leads[0] == leads[1] {
            continue;
        }
        match behind.contains(&(pc as u32)) {
            true => found.rounds = true,
            false => found.guards = true,
        }
    }
    found
}

/// The instructions that can be reached from `pc`.
fn reached(entry: &DecodedEntry, pc: u32) -> HashSet<u32> {
    let mut seen = HashSet::new();
    let mut open = vec![pc];
    while let Some(pc) = open.pop() {
        if seen.insert(pc) {
            open.extend(targets(&entry.program, &entry.code, pc).unwrap_or_default());
        }
    }
    seen
}
