//! Which machine instructions a memory instruction of the PTX became: learned from the line of PTX that the assembler notes for each, and from widths. Numbers of executions are `compiled`'s.

use super::access::{Access, Statement, statements, statements_of_entry};
use super::sass::Instruction;

/// What became of a memory instruction of the PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// One machine instruction of the same width.
    Kept,
    /// Several of the same width: the loop around it is unrolled, or its block stands several times.
    Repeated,
    /// A wider one, which does the instructions of these lines too.
    Leads {
        /// Bytes that a thread moves.
        bytes: u32,
        /// Lines in the PTX, by rising address, its own among them.
        ptx_lines: Vec<u32>,
    },
    /// Done by the wider instruction that carries this line.
    Merged {
        /// Line in the PTX.
        ptx_line: u32,
    },
    /// None: its value is known, not used, or stays in registers.
    Dropped,
    /// Not to be told, and why.
    Unknown(String),
}

/// A memory instruction of the PTX and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aligned {
    /// Line in the PTX, from 1.
    pub ptx_line: u32,
    /// Its text.
    pub text: String,
    /// What it does to memory.
    pub access: Access,
    /// Whether a predicate guards it in the PTX.
    pub is_guarded: bool,
    /// Its machine instructions, as indices.
    pub instructions: Vec<usize>,
    /// What became of it.
    pub fate: Fate,
    /// Whether a machine instruction is guarded by a predicate and the PTX is not: a branch has become one.
    pub is_predicated: bool,
}

/// All memory instructions of an entry, and the machine's that belong to none of them.
pub(super) fn align(ptx: &str, entry: &str, machine: &[Instruction]) -> (Vec<Aligned>, Vec<usize>) {
    let all = statements(ptx, entry);
    let own = statements_of_entry(ptx, entry);
    let is_own = |line: u32| own.iter().any(|statement| statement.ptx_line == line);
    let mut sites: Vec<Aligned> = all
        .iter()
        .filter_map(|statement| Some((statement, statement.access()?)))
        .map(|(statement, access)| start(statement, access, machine))
        .filter(|site| is_own(site.ptx_line) || !site.instructions.is_empty())
        .collect();
    for at in 0..sites.len() {
        sites[at].fate = by_width(&sites, at, machine);
        if let Fate::Leads { ptx_lines, .. } = sites[at].fate.clone() {
            let ptx_line = sites[at].ptx_line;
            for other in &mut sites {
                if other.ptx_line != ptx_line && ptx_lines.contains(&other.ptx_line) {
                    other.fate = Fate::Merged { ptx_line };
                }
            }
        }
    }
    let is_own = |at: usize| sites.iter().any(|site| site.instructions.contains(&at));
    let strays: Vec<usize> = (0..machine.len())
        .filter(|&at| machine[at].access().is_some() && !is_own(at))
        .collect();
    doubt(&mut sites, &strays, machine);
    (sites, strays)
}

fn start(statement: &Statement, access: Access, machine: &[Instruction]) -> Aligned {
    // A spill is noted at the line of its value, which may be a load.
    let may_be_local = ["local", "generic"].contains(&access.space);
    let is_own = |instruction: &Instruction| {
        instruction.ptx_line == statement.ptx_line
            && instruction
                .access()
                .is_some_and(|found| found.space != "local" || may_be_local)
    };
    let instructions = machine
        .iter()
        .enumerate()
        .filter(|(_, instruction)| is_own(instruction));
    let instructions: Vec<usize> = instructions.map(|(at, _)| at).collect();
    let is_predicated =
        !statement.is_guarded && instructions.iter().any(|&at| machine[at].is_guarded());
    Aligned {
        ptx_line: statement.ptx_line,
        text: format!("{} {}", statement.opcode, statement.operands),
        access,
        is_guarded: statement.is_guarded,
        instructions,
        fate: Fate::Dropped,
        is_predicated,
    }
}

/// What became of one site, from the widths of its machine instructions.
fn by_width(sites: &[Aligned], at: usize, machine: &[Instruction]) -> Fate {
    let site = &sites[at];
    if let Fate::Merged { .. } = site.fate {
        return site.fate.clone();
    }
    let widths: Vec<u32> = site
        .instructions
        .iter()
        .filter_map(|&at| machine[at].access())
        .map(|access| access.bytes)
        .collect();
    let Some(&first) = widths.first() else {
        return Fate::Dropped;
    };
    let is_plain = ["load", "store"].contains(&site.access.direction);
    if !is_plain || widths.iter().all(|bytes| *bytes == site.access.bytes) {
        return match widths.len() {
            1 => Fate::Kept,
            _ => Fate::Repeated,
        };
    }
    let text = &machine[site.instructions[0]].text;
    if widths.iter().any(|bytes| *bytes != first) || first < site.access.bytes {
        return Fate::Unknown(format!(
            "`{text}` and the other instructions of this line are of different widths"
        ));
    }
    match group(sites, at, first) {
        Some(ptx_lines) => Fate::Leads {
            bytes: first,
            ptx_lines,
        },
        None => Fate::Unknown(format!(
            "`{text}` is wider, and no neighbours in the PTX tell what else it does"
        )),
    }
}

/// The lines that a wider access does together, by rising address: with the same base, side by side, and without machine
/// instructions of their own.
fn group(sites: &[Aligned], leader: usize, bytes: u32) -> Option<Vec<u32>> {
    let own = &sites[leader];
    let (base, offset) = address(&own.text)?;
    let narrow = i64::from(own.access.bytes);
    let parts = i64::from(bytes) / narrow;
    let at_offset = |wanted: i64| {
        if wanted == offset {
            return Some(own.ptx_line);
        }
        let fits = sites.iter().filter(|site| {
            site.instructions.is_empty()
                && site.access == own.access
                && site.fate == Fate::Dropped
                && address(&site.text) == Some((base, wanted))
        });
        let near = fits.min_by_key(|site| site.ptx_line.abs_diff(own.ptx_line))?;
        Some(near.ptx_line)
    };
    // A load is noted at its first part, a store at its last.
    let mut places: Vec<i64> = (0..parts).collect();
    if own.access.direction == "store" {
        places.reverse();
    }
    places.into_iter().find_map(|before| {
        let start = offset - before * narrow;
        (0..parts)
            .map(|at| at_offset(start + at * narrow))
            .collect()
    })
}

/// Base and offset of `[%rd14+4]`.
fn address(text: &str) -> Option<(&str, i64)> {
    let inside = text.split_once('[')?.1.split_once(']')?.0.trim();
    match inside.split_once('+') {
        Some((base, offset)) => Some((base.trim(), offset.trim().parse().ok()?)),
        None => Some((inside, 0)),
    }
}

/// Where some machine instruction is not explained, what seems to have been dropped may be done by it.
fn doubt(sites: &mut [Aligned], strays: &[usize], machine: &[Instruction]) {
    let mut open: Vec<(Access, String)> = strays
        .iter()
        .filter_map(|&at| Some((machine[at].access()?, machine[at].text.clone())))
        .collect();
    for site in sites
        .iter()
        .filter(|site| matches!(site.fate, Fate::Unknown(_)))
    {
        let text = site
            .instructions
            .first()
            .map(|&at| machine[at].text.clone());
        open.extend(text.map(|text| (site.access, text)));
    }
    let strange = machine.iter().find(|instruction| instruction.is_strange());
    for site in sites.iter_mut().filter(|site| site.fate == Fate::Dropped) {
        if let Some(strange) = strange {
            site.fate = Fate::Unknown(format!(
                "`{}` is not known here, and may do it",
                strange.text
            ));
            continue;
        }
        let may_be = open.iter().find(|(access, _)| {
            (access.space, access.direction) == (site.access.space, site.access.direction)
        });
        if let Some((_, text)) = may_be {
            site.fate = Fate::Unknown(format!("`{text}` may do it"));
        }
    }
}
