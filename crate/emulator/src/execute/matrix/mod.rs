//! PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions". Here how fragments reach them; what they do is in
//! the files beside this one.
//!
//! These instructions have up to 32 registers, other instructions at most ten. So that those stay small, a matrix
//! instruction becomes several operations: some lay its sources in a stage, one works on the stage alone, and some
//! fetch its results from there. The stage is the worker's, not a warp's, as nothing comes between these
//! operations: they lie in one basic block and all act on the lanes of the first.

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::execute::drive::one;
use crate::execute::lanes::{FileKind, GROUP_WARPS, Kind, Lanes, NO_SLOT, WARP};
use crate::execute::memory::for_lanes;
use crate::execute::program::{AccessFn, Both, Inst};
use crate::execute::world::{Fault, World};
use crate::parse::ast::Operand;
use crate::report::{Detail, FindingKind};

pub(crate) mod dot;
mod fragment;
pub(crate) mod load;
pub(crate) mod multiply;
pub(crate) mod wmma;

/// Rows of the stage for each warp. `mma.m16n8k16.f64` has 20 registers of two rows each, no other as many.
const STAGE_ROWS: usize = 40;

/// One register of a fragment: a word of each lane.
pub(crate) type Row = [u32; WARP];

/// Where the fragments of one instruction lie while it executes: for each warp of the group, a row for each 32-bit
/// register and two for each 64-bit one, low words first.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// Empty until a matrix instruction executes: most kernels have none.
    rows: Vec<Row>,
}

impl Stage {
    fn warp(&mut self, warp: usize) -> &mut [Row] {
        if self.rows.is_empty() {
            self.rows = vec![[0; WARP]; GROUP_WARPS * STAGE_ROWS];
        }
        &mut self.rows[warp * STAGE_ROWS..][..STAGE_ROWS]
    }
}

/// Rows of a register of this file.
fn rows_of(file: FileKind) -> usize {
    if file == FileKind::Longs { 2 } else { 1 }
}

/// Rows of the stage from `inst.imm` on are the registers `s[0..]`, as many as there are.
fn put(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &mut world.stage.warp(warp)[inst.imm as usize..];
        for (row, slot) in stage.iter_mut().zip(inst.s) {
            if slot == NO_SLOT {
                break;
            }
            row.copy_from_slice(&lanes.words.source(slot)[warp * WARP..][..WARP]);
        }
    }
}

/// The same for 64-bit registers.
fn put_longs(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &mut world.stage.warp(warp)[inst.imm as usize..];
        for (rows, slot) in stage.chunks_exact_mut(2).zip(inst.s) {
            if slot == NO_SLOT {
                break;
            }
            let source = &lanes.longs.source(slot)[warp * WARP..][..WARP];
            for lane in 0..WARP {
                rows[0][lane] = source[lane] as u32;
                rows[1][lane] = (source[lane] >> 32) as u32;
            }
        }
    }
}

/// The registers `d[0..]`, as many as there are, are the rows of the stage from `inst.imm` on.
fn take(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &world.stage.warp(warp)[inst.imm as usize..];
        for (row, slot) in stage.iter().zip(inst.d) {
            if slot == NO_SLOT {
                break;
            }
            let out = &mut lanes.words.registers[usize::from(slot)][warp * WARP..][..WARP];
            for_lanes(active.mask[warp], |lane| out[lane] = row[lane]);
        }
    }
}

/// The same for 64-bit registers.
fn take_longs(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let stage = &world.stage.warp(warp)[inst.imm as usize..];
        for (rows, slot) in stage.chunks_exact(2).zip(inst.d) {
            if slot == NO_SLOT {
                break;
            }
            let out = &mut lanes.longs.registers[usize::from(slot)][warp * WARP..][..WARP];
            for_lanes(active.mask[warp], |lane| {
                out[lane] = u64::from(rows[0][lane]) | u64::from(rows[1][lane]) << 32;
            });
        }
    }
}

const PUT: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) put(lanes, world, inst));
const PUT_LONGS: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) put_longs(lanes, world, inst));
const TAKE: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) take(lanes, world, inst));
const TAKE_LONGS: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) take_longs(lanes, world, inst));

// ---- decoding ----

/// The registers of a fragment: `{%r1, %r2}`, or one alone.
fn parts<'o, 'a>(operand: &'o Operand<'a>) -> Vec<&'o Operand<'a>> {
    match operand {
        Operand::Vector(parts) => parts.iter().collect(),
        single => vec![single],
    }
}

fn expect_parts(
    lowerer: &Lowerer,
    matched: &Matched,
    found: usize,
    expected: usize,
) -> Result<(), LoadError> {
    if found == expected {
        return Ok(());
    }
    let message = format!("expected a fragment of {expected} registers, found {found}");
    Err(lowerer.wrong(matched, &message))
}

/// Lays a fragment of so many registers in the stage from `row` on; gives the row after it.
fn stage_sources(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &Operand,
    kind: Kind,
    count: usize,
    row: usize,
) -> Result<usize, LoadError> {
    let parts = parts(operand);
    expect_parts(lowerer, matched, parts.len(), count)?;
    let mut values: Vec<Value> = Vec::new();
    for part in parts {
        values.push(lowerer.source(matched, part, kind)?);
    }
    let (put, rows) = match kind.file() {
        FileKind::Longs => (PUT_LONGS, 2),
        _ => (PUT, 1),
    };
    for (number, values) in values.chunks(6).enumerate() {
        lowerer.effect(put, &[], values, (row + 6 * rows * number) as u64, 0);
    }
    Ok(row + rows * count)
}

/// The registers of a fragment that the instruction writes.
fn results(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: &Operand,
    kind: Kind,
    count: usize,
) -> Result<Vec<Option<Reg>>, LoadError> {
    let parts = parts(operand);
    expect_parts(lowerer, matched, parts.len(), count)?;
    let mut registers = Vec::new();
    for part in parts {
        registers.push(Some(lowerer.result(matched, part, kind)?));
    }
    Ok(registers)
}

/// Fetches a fragment from the stage.
fn fetch_results(lowerer: &mut Lowerer, registers: &[Option<Reg>], kind: Kind, row: usize) {
    let take = match kind.file() {
        FileKind::Longs => TAKE_LONGS,
        _ => TAKE,
    };
    let rows = rows_of(kind.file());
    for (number, registers) in registers.chunks(4).enumerate() {
        lowerer.effect(take, registers, &[], (row + 4 * rows * number) as u64, 0);
    }
}

// ---- execution ----

/// Runs `f` for each warp with its active lanes. A warp that is not whole is reported: "all threads in the warp must
/// execute the same instruction", and what happens otherwise is undefined.
fn for_whole_warps(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    mut f: impl FnMut(&mut Lanes, &mut World, usize, u32),
) {
    let active = lanes.active;
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 {
            continue;
        }
        if mask != u32::MAX {
            report_divergence(lanes, world, inst, warp, mask);
        }
        f(lanes, world, warp, mask);
    }
}

#[cold]
fn report_divergence(lanes: &Lanes, world: &mut World, inst: &Inst, warp: usize, mask: u32) {
    let first = (lanes.first_warp + warp) * WARP + mask.trailing_zeros() as usize;
    world.fault(Fault {
        kind: FindingKind::BarrierDivergence,
        block: world.block,
        place: inst.place,
        space: None,
        thread: first as u32,
        address: None,
        access_bytes: 0,
        is_store: false,
        count: 1,
        detail: Detail::Warp {
            active: mask.count_ones(),
        },
    });
}

/// What the operations of matrix instructions refer to by number.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) multiplies: Vec<multiply::Multiply>,
    pub(crate) tiles: Vec<load::Tiles>,
    pub(crate) fragments: Vec<wmma::FragmentAccess>,
}
