//! PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions". Here how fragments reach them; what they do is in
//! the files beside this one.
//!
//! These instructions have up to 32 registers, other instructions at most ten. So that those stay small, a matrix
//! instruction becomes several operations: some lay its sources in a stage, one works on the stage alone, and some
//! fetch its results from there. The stage is the worker's, not a warp's, as nothing comes between these
//! operations: they lie in one basic block and all act on the lanes of the first.

pub(crate) mod load;
pub(crate) mod multiply;
pub(crate) mod wgmma;
pub(crate) mod wmma;

use crate::decode::ir::{Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::operations::matrix::{PUT, PUT_LONGS, TAKE, TAKE_LONGS};
use crate::parse::ast::Operand;
use crate::program::kinds::{FileKind, Kind};

/// Rows of a register of this file.
fn rows_of(file: FileKind) -> usize {
    if file == FileKind::Longs { 2 } else { 1 }
}

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
