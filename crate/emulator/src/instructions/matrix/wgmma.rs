//! PTX ISA: "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Each warp of a warpgroup multiplies its own 16 rows, when it executes the instruction.
//!
//! A right program cannot tell: registers may not be touched nor shared memory overwritten before the wait. What a wrong
//! one does is found in checked launches, by `operations::asynchronous::multiply`.
//!
//! To the counters, what is read of shared memory is no load: it has wavefronts of its own, one for each 128 bytes, of A
//! once for each warpgroup. As measured on an H200, in layouts without bank conflicts: others are not told apart here.

use crate::decode::ir::{Carries, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::matrix::multiply::{extent, kind_of_sum};
use crate::instructions::matrix::{expect_parts, parts, results, stage_sources};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::pending::{Asked, WARPGROUP};
use crate::machine::stage::Row;
use crate::machine::world::World;
use crate::operations::asynchronous::Broken;
use crate::operations::drive::{both, one};
use crate::operations::matrix::descriptor::{Descriptor, UNIT_BYTES};
use crate::operations::matrix::dot::{Lines, ROWS, Taken, sums, whole_sums};
use crate::operations::matrix::fragment::{lines, row_of, set_row};
use crate::operations::matrix::{PUT, report_divergence, take};
use crate::parse::ast::Operand;
use crate::program::kinds::{FileKind, Kind, NO_SLOT, WARP};
use crate::program::matrix::{Factor, GroupMultiply, Sum};
use crate::report::{FindingKind, HandoverKind, MultiplyFault, Space};

/// Rows of a product.
const GROUP_ROWS: usize = 64;
/// Columns that are worked on together.
const COLUMNS: usize = 16;
/// Registers of A, where it is in registers.
const A_REGISTERS: usize = 4;
/// What the banks of shared memory serve at once.
const WAVEFRONT_BYTES: usize = 128;

// ---- decoding ----

/// `wgmma.mma_async.sync.aligned.shape.dtype.atype.btype… d, a, b-desc, scale-d{, imm-scale-a, imm-scale-b{, imm-trans…}};`
pub(crate) fn lower_multiply(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let operands = matched.operands();
    let shape = matched.element("shape");
    let (Some(columns), Some(depth), Some(a), Some(b), Some(sum)) = (
        extent(shape, 'n'),
        extent(shape, 'k'),
        Factor::named(matched.element("a")),
        Factor::named(matched.element("b")),
        Sum::named(matched.element("d")),
    ) else {
        return Err(lowerer.unsupported(matched));
    };
    let a_in_registers = matches!(operands.get(1), Some(Operand::Vector(_)));
    let scales = if sum == Sum::S32 { 0 } else { 2 };
    let turns = match a.bits() {
        16 => 2 - usize::from(a_in_registers),
        _ => 0,
    };
    let expected = 4 + scales + turns;
    lowerer.expect_operands(matched, expected..=expected)?;
    let site = lowerer.tensor_site();
    let mut multiply = GroupMultiply {
        a,
        b,
        sum,
        columns,
        depth,
        saturate: matched.has("satfinite"),
        negates: [false; 2],
        transposes: [false; 2],
        a_in_registers,
        site,
    };
    for (at, negates) in multiply.negates.iter_mut().enumerate().take(scales) {
        *negates = flag(lowerer, matched, &operands[4 + at], [1, -1])?;
    }
    for (at, operand) in operands[4 + scales..].iter().rev().enumerate() {
        // B's comes last, and A in registers has none.
        multiply.transposes[1 - at] = flag(lowerer, matched, operand, [0, 1])?;
    }
    let (kind, count) = (kind_of_sum(sum), multiply.registers());
    let destinations = results(lowerer, matched, &operands[0], kind, count)?;
    // The sums of one instruction may go on in the next without a wait.
    stage_sources(lowerer, matched, &operands[0], kind, count, 0)?;
    lowerer.moves_last(PUT.chosen());
    let mut sources = [Value::None; 3];
    if a_in_registers {
        expect_parts(lowerer, matched, parts(&operands[1]).len(), A_REGISTERS)?;
        stage_sources(
            lowerer,
            matched,
            &operands[1],
            Kind::Bits32,
            A_REGISTERS,
            count,
        )?;
    } else {
        sources[0] = lowerer.source(matched, &operands[1], Kind::Bits64)?;
    }
    sources[1] = lowerer.source(matched, &operands[2], Kind::Bits64)?;
    sources[2] = lowerer.predicate(matched, &operands[3])?;
    let multiplies = &mut lowerer.matrix_tables().group_multiplies;
    multiplies.push(multiply);
    let number = multiplies.len() as u32 - 1;
    lowerer.effect(MULTIPLY, &[], &sources, 0, number);
    for (at, registers) in destinations.chunks(4).enumerate() {
        lowerer.effect(TAKE_MARKED, registers, &[], 4 * at as u64, 0);
    }
    Ok(())
}

/// An immediate operand that is one of two numbers: whether it is the second.
fn flag(
    lowerer: &Lowerer,
    matched: &Matched,
    operand: &Operand,
    numbers: [i64; 2],
) -> Result<bool, LoadError> {
    let found = match operand {
        Operand::Int(bits) => numbers.iter().position(|number| *number as u64 == *bits),
        _ => None,
    };
    let [first, second] = numbers;
    let message = format!("expected {first} or {second}");
    found
        .map(|at| at == 1)
        .ok_or_else(|| lowerer.wrong(matched, &message))
}

/// `wgmma.fence.sync.aligned;`
pub(crate) fn lower_fence(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    lowerer.effect(FENCE, &[], &[], 0, 0);
    Ok(())
}

/// `wgmma.commit_group.sync.aligned;`
pub(crate) fn lower_commit(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    lowerer.effect(COMMIT, &[], &[], 0, 0);
    Ok(())
}

/// `wgmma.wait_group.sync.aligned n;`
pub(crate) fn lower_wait(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let [Operand::Int(groups)] = matched.operands() else {
        return Err(lowerer.wrong(matched, "takes the number of groups that may be left"));
    };
    lowerer.effect(WAIT, &[], &[], (*groups).min(u64::from(u32::MAX)), 0);
    Ok(())
}

/// `setmaxnreg.{inc|dec}.sync.aligned.u32 n;`: nobody runs out of registers here, but all warps of a warpgroup must execute
/// it. PTX ISA: "Miscellaneous Instructions: setmaxnreg".
pub(crate) fn lower_registers(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    match matched.operands() {
        [Operand::Int(count)] if (24..=256).contains(count) && count % 8 == 0 => {
            lowerer.effect(REGISTERS, &[], &[], *count, 0);
            Ok(())
        }
        _ => Err(lowerer.wrong(matched, "takes a multiple of 8 from 24 to 256")),
    }
}

impl Lowerer<'_> {
    /// The operations just appended that run `function` only move registers: no use of what is in them.
    fn moves_last(&mut self, function: AccessFn) {
        self.mark_last(function, Carries::Staged);
    }
}

// ---- execution ----

const FENCE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_members(lanes, world, inst, |_, world, warp| world.fence_multiplies(warp))
});

const REGISTERS: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_members(lanes, world, inst, |_, world, warp| {
        let asked = Asked {
            place: inst.place,
            factors: [inst.imm, 0],
            adds: false,
        };
        world.meet_multiply(warp, asked);
    })
});

const COMMIT: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_members(lanes, world, inst, |_, world, warp| {
        if world.trace.is_some() {
            world.record_handover(inst.place, warp, HandoverKind::CommitMultiplies);
        }
        world.commit_multiplies(warp)
    })
});

const WAIT: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    for_members(lanes, world, inst, |lanes, world, warp| {
        let left = inst.imm as u32;
        if world.trace.is_some() {
            world.record_handover(inst.place, warp, HandoverKind::WaitMultiplies { left });
        }
        world.wait_for_multiplies(lanes, warp, left)
    })
});

const MULTIPLY: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) execute(lanes, world, inst));

const TAKE_MARKED: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) take_marked(lanes, world, inst));

/// Runs `f` for each warp of the block that executes the instruction.
fn for_members(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    f: impl Fn(&mut Lanes, &mut World, usize),
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
        f(lanes, world, lanes.first_warp + warp);
    }
}

/// The registers of the result are marked as those of what nobody has waited for.
fn take_marked(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    take(lanes, world, inst);
    if world.check.is_none() {
        return;
    }
    let mask = lanes.active.mask;
    for slot in inst.d.into_iter().filter(|slot| *slot != NO_SLOT) {
        let place = (FileKind::Words, slot);
        lanes.undefined.mark(place, &mask, &world.stage.marks);
    }
}

/// What the lanes of a warp ask for. All must ask for the same.
fn asked(lanes: &Lanes, world: &mut World, inst: &Inst, warp: usize) -> Asked {
    let mask = lanes.active.mask[warp];
    let first = mask.trailing_zeros() as usize;
    let holds = lanes.preds[usize::from(inst.s[2])][warp] & mask;
    let mut is_even = holds == 0 || holds == mask;
    let factors = [inst.s[0], inst.s[1]].map(|slot| {
        if slot == NO_SLOT {
            return 0;
        }
        let values = &lanes.longs.source(slot)[warp * WARP..][..WARP];
        let same = |lane: usize| mask >> lane & 1 == 0 || values[lane] == values[first];
        is_even &= (0..WARP).all(same);
        values[first]
    });
    if !is_even {
        let thread = (lanes.first_warp + warp) * WARP + first;
        world.broken_multiply(inst.place, thread as u32, MultiplyFault::Uneven);
    }
    Asked {
        place: inst.place,
        factors,
        adds: holds >> first & 1 == 1,
    }
}

// No closure on the way to the sums: it would be compiled without the vector instructions.
#[inline(always)]
fn execute(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let program = world.program;
    let multiply = &program.matrix.group_multiplies[inst.aux as usize];
    let active = lanes.active;
    let (mut columns, mut known) = (Vec::new(), None);
    for warp in active.first..active.last {
        if active.mask[warp] == 0 {
            continue;
        }
        if active.mask[warp] != u32::MAX {
            report_divergence(lanes, world, inst, warp, active.mask[warp]);
        }
        let asked = asked(lanes, world, inst, warp);
        let of_block = lanes.first_warp + warp;
        if world.trace.is_some() {
            record_multiply(world, inst, multiply, of_block, &asked);
        }
        if world.meet_multiply(of_block, asked) {
            begin(lanes, world, inst, multiply, warp, &asked);
        }
        if world.check.is_some() {
            world.stage.marks[warp] = world.start_multiply(lanes, of_block, multiply, &asked);
        }
        if known != Some(asked.factors[1]) {
            known = Some(asked.factors[1]);
            take_columns(multiply, &mut columns, &world.shared, asked.factors[1]);
        }
        let stage = world.stage.warp(warp);
        let a = rows(multiply, stage, &world.shared, asked.factors[0], of_block);
        product(multiply, world.stage.warp(warp), &a, &columns, asked.adds);
        if world.check.is_some() {
            world.note_sums(lanes.first_warp, warp, multiply.registers());
        }
    }
}

#[cold]
fn record_multiply(
    world: &mut World,
    inst: &Inst,
    multiply: &GroupMultiply,
    warp: usize,
    asked: &Asked,
) {
    let [turns_a, turns_b] = multiply.transposes;
    let start = |bits: u64, turns: bool| Descriptor::new(bits, turns).start();
    let of_a = (!multiply.a_in_registers).then(|| start(asked.factors[0], turns_a));
    let what = HandoverKind::Multiply {
        factors: [of_a, Some(start(asked.factors[1], turns_b))],
        adds: asked.adds,
    };
    world.record_handover(inst.place, warp, what);
}

/// The units that an instruction reads of shared memory.
fn units(multiply: &GroupMultiply, asked: &Asked) -> Vec<u32> {
    let [turns_a, turns_b] = multiply.transposes;
    let b = Descriptor::new(asked.factors[1], turns_b);
    let mut units: Vec<u32> = b.units(0, multiply.columns).collect();
    if !multiply.a_in_registers {
        units.extend(Descriptor::new(asked.factors[0], turns_a).units(0, GROUP_ROWS));
    }
    units
}

/// The first warp of a warpgroup comes to an instruction: it is counted, and what it reads looked at. What is
/// not there is read as zeros.
fn begin(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    multiply: &GroupMultiply,
    warp: usize,
    asked: &Asked,
) {
    let units = units(multiply, asked);
    let site = &mut world.sites[multiply.site as usize];
    site.executed += 1;
    site.requests += 1;
    site.wavefronts += (units.len() * UNIT_BYTES as usize).div_ceil(WAVEFRONT_BYTES) as u64;
    let outside = |unit: &&u32| !world.has_shared(u64::from(**unit), u64::from(UNIT_BYTES));
    let lane = lanes.active.mask[warp].trailing_zeros() as usize;
    if let Some(unit) = units.iter().find(outside) {
        let broken = Broken {
            kind: FindingKind::OutOfBounds,
            space: Space::Shared,
            address: u64::from(*unit),
            bytes: UNIT_BYTES,
            is_store: false,
            rule: None,
        };
        world.broken(lanes, inst, warp * WARP + lane, broken);
    } else if world.check.is_some() {
        let thread = ((lanes.first_warp + warp) * WARP + lane) as u32;
        world.begin_reading(inst.place, thread, units);
    }
}

/// Takes the columns of B apart.
#[inline(always)]
fn take_columns(
    multiply: &GroupMultiply,
    columns: &mut Vec<Taken<COLUMNS>>,
    shared: &[u32],
    descriptor: u64,
) {
    let descriptor = Descriptor::new(descriptor, multiply.transposes[1]);
    for (number, first) in (0..multiply.columns).step_by(COLUMNS).enumerate() {
        let count = (multiply.columns - first).min(COLUMNS);
        let mut lines = descriptor.gather::<COLUMNS>(shared, first, count, true);
        if multiply.negates[1] {
            turn_signs(&mut lines, multiply.b);
        }
        if columns.len() <= number {
            columns.resize_with(number + 1, Taken::empty);
        }
        columns[number].set(multiply.b, &lines, multiply.depth);
    }
}

/// A warp's rows of A, taken apart.
#[inline(always)]
fn rows(
    multiply: &GroupMultiply,
    stage: &[Row],
    shared: &[u32],
    descriptor: u64,
    warp: usize,
) -> Taken<ROWS> {
    let mut rows = if multiply.a_in_registers {
        lines::<ROWS>(&stage[multiply.registers()..], A_REGISTERS, 2)
    } else {
        let descriptor = Descriptor::new(descriptor, multiply.transposes[0]);
        descriptor.gather(shared, warp % WARPGROUP * ROWS, ROWS, false)
    };
    if multiply.negates[0] {
        turn_signs(&mut rows, multiply.a);
    }
    let mut taken = Taken::empty();
    taken.set(multiply.a, &rows, multiply.depth);
    taken
}

fn turn_signs<const L: usize>(lines: &mut Lines<L>, ty: Factor) {
    let signs = match ty.bits() {
        8 => 0x8080_8080,
        16 => 0x8000_8000,
        _ => 1 << 31,
    };
    for word in lines.iter_mut().flatten() {
        *word ^= signs;
    }
}

/// One warp's part: its rows of A with all columns, added to what is in the stage.
#[inline(always)]
fn product(
    multiply: &GroupMultiply,
    stage: &mut [Row],
    a: &Taken<ROWS>,
    columns: &[Taken<COLUMNS>],
    adds: bool,
) {
    let each = 2 * multiply.sum.registers();
    let words = multiply.depth * multiply.a.bits() / 32;
    for (number, b) in columns.iter().enumerate() {
        let first = number * COLUMNS;
        if first >= multiply.columns {
            break;
        }
        // Of 8 columns alone, the other 8 are nobody's.
        let stage = &mut stage[first / 8 * each..];
        let is_half = multiply.columns - first < COLUMNS;
        for row in 0..ROWS {
            let mut c = [0; COLUMNS];
            if adds && is_half {
                c[..8].copy_from_slice(&row_of::<8>(stage, multiply.sum, each, row));
            } else if adds {
                c = row_of(stage, multiply.sum, each, row);
            }
            let d = if multiply.sum == Sum::S32 {
                let (a, b) = ((a.lines(), multiply.a), (b.lines(), multiply.b));
                whole_sums(a, row, b, words, &c, multiply.saturate)
            } else {
                sums(a, row, b, &c, multiply.sum)
            };
            if is_half {
                let [low, _] = halves(&d);
                set_row::<8>(stage, multiply.sum, each, row, &low);
            } else {
                set_row(stage, multiply.sum, each, row, &d);
            }
        }
    }
}

#[inline(always)]
fn halves(values: &[u32; COLUMNS]) -> [[u32; 8]; 2] {
    let mut out = [[0; 8]; 2];
    out[0].copy_from_slice(&values[..8]);
    out[1].copy_from_slice(&values[8..]);
    out
}
