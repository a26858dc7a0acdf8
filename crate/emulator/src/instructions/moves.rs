//! PTX ISA: `mov`, `cvta`, `isspacep`, how `ld` and `st` are decoded, and instructions that move nothing here.

use crate::decode::ir::{Carries, Reg};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::cluster;
use crate::machine::inst::{AccessFn, Both, ComputeFn, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::World;
use crate::operations::basic;
use crate::operations::basic::{HIGH_16, HIGH_32, LOW_16, LOW_32, PACK_32, PACK_64};
use crate::operations::drive::{Compute, both, computes, one};
use crate::operations::memory::{LOAD_LONGS, LOAD_WORDS, STORE_LONGS, STORE_WORDS};
use crate::parse::ast::{Operand, Type};
use crate::program::access::{AccessShape, Assembled, Strength, Wanted};
use crate::program::kinds::{FileKind, Kind, WARP};
use crate::program::space::{LOCAL_BYTES, WINDOW_BYTES, WINDOWS, local_part, window};
use crate::report::Space;

computes!(one PACK_BYTES, quaternary, (u32, u32, u32, u32) => u32, |a, b, c, d| {
    (a & 0xff) | (b & 0xff) << 8 | (c & 0xff) << 16 | (d & 0xff) << 24
});

computes!(BYTE_0, unary by PICK, (u32) => u32, |a| a & 0xff);
computes!(BYTE_1, unary by PICK, (u32) => u32, |a| (a >> 8) & 0xff);
computes!(BYTE_2, unary by PICK, (u32) => u32, |a| (a >> 16) & 0xff);
computes!(BYTE_3, unary by PICK, (u32) => u32, |a| a >> 24);

/// `mov.type d, a;` also takes a vector apart or puts one together, and takes the address of a variable.
pub(crate) fn lower_mov(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let ty = lowerer.element_type(matched, "type")?;
    match (&operands[0], &operands[1]) {
        (Operand::Vector(parts), whole) => take_apart(lowerer, matched, ty, parts, whole),
        (whole, Operand::Vector(parts)) => put_together(lowerer, matched, ty, whole, parts),
        (d, a) => {
            let kind = match ty {
                Type::Predicate => Kind::Pred,
                Type::Float(32) => Kind::Single,
                Type::Float(64) => Kind::Double,
                ty if ty.bits() == 64 => Kind::Bits64,
                ty if ty.bits() == 32 => Kind::Bits32,
                ty if ty.bits() == 16 => Kind::Bits16,
                _ => return Err(lowerer.unsupported(matched)),
            };
            if lowerer.reads_clock(a) {
                return lower_clock(lowerer, matched, kind);
            }
            if (kind, a) == (Kind::Pred, &Operand::Name("%is_explicit_cluster")) {
                let d = lowerer.result(matched, d, kind)?;
                cluster::lower_is_explicit(lowerer, d);
                return Ok(());
            }
            let value = lowerer.source_or_address(matched, a, kind)?;
            let d = lowerer.result(matched, d, kind)?;
            lowerer.copy(d, value);
            Ok(())
        }
    }
}

fn take_apart(
    lowerer: &mut Lowerer,
    matched: &Matched,
    ty: Type,
    parts: &[Operand],
    whole: &Operand,
) -> Result<(), LoadError> {
    let steps: &[Compute] = match (ty.bits(), parts.len()) {
        (64, 2) => &[LOW_32, HIGH_32],
        (32, 2) => &[LOW_16, HIGH_16],
        (32, 4) => &[BYTE_0, BYTE_1, BYTE_2, BYTE_3],
        (64, 4) => &[],
        _ => return Err(lowerer.unsupported(matched)),
    };
    let kind = if ty.bits() == 64 {
        Kind::Bits64
    } else {
        Kind::Bits32
    };
    let whole = lowerer.source(matched, whole, kind)?;
    let mut results: Vec<Option<Reg>> = Vec::new();
    for part in parts {
        let sink = lowerer.is_sink(part);
        results.push(if sink {
            None
        } else {
            Some(lowerer.result(matched, part, Kind::Bits32)?)
        });
    }
    // The whole may be one of the parts' registers: all parts are taken before any is written.
    let mut fresh = Vec::new();
    if steps.is_empty() {
        for (half, first) in [(LOW_32, 0), (HIGH_32, 4)] {
            let word = lowerer.fresh(FileKind::Words);
            lowerer.compute_parts(half.function, &[Some(word)], &[whole], 0);
            lowerer.carries(Carries::Part { first, bytes: 4 });
            for (quarter, first) in [(LOW_16, 0), (HIGH_16, 2)] {
                let part = lowerer.fresh(FileKind::Words);
                lowerer.compute_parts(quarter.function, &[Some(part)], &[word.into()], 0);
                lowerer.carries(Carries::Part { first, bytes: 2 });
                fresh.push(part);
            }
        }
    }
    let bytes = ty.bits() / 8 / parts.len() as u32;
    for (first, step) in (0..).zip(steps) {
        let part = lowerer.fresh(FileKind::Words);
        lowerer.compute_parts(step.function, &[Some(part)], &[whole], 0);
        lowerer.carries(Carries::Part {
            first: first * bytes,
            bytes,
        });
        fresh.push(part);
    }
    for (result, part) in results.into_iter().zip(fresh) {
        if let Some(result) = result {
            lowerer.copy(result, part.into());
        }
    }
    Ok(())
}

fn put_together(
    lowerer: &mut Lowerer,
    matched: &Matched,
    ty: Type,
    whole: &Operand,
    parts: &[Operand],
) -> Result<(), LoadError> {
    let step = match (ty.bits(), parts.len()) {
        (64, 2) => PACK_64,
        (32, 2) => PACK_32,
        (32, 4) => PACK_BYTES,
        (64, 4) => PACK_32,
        _ => return Err(lowerer.unsupported(matched)),
    };
    let mut sources = Vec::new();
    for part in parts {
        sources.push(lowerer.source(matched, part, Kind::Bits32)?);
    }
    let kind = if ty.bits() == 64 {
        Kind::Bits64
    } else {
        Kind::Bits32
    };
    let whole = lowerer.result(matched, whole, kind)?;
    if (ty.bits(), parts.len()) == (64, 4) {
        let halves = [
            lowerer.fresh(FileKind::Words),
            lowerer.fresh(FileKind::Words),
        ];
        for (half, pair) in halves.iter().zip(sources.chunks(2)) {
            lowerer.compute_parts(step.function, &[Some(*half)], pair, 0);
            lowerer.carries(Carries::Parts(2));
        }
        sources = halves.map(Into::into).to_vec();
        lowerer.compute_parts(PACK_64.function, &[Some(whole)], &sources, 0);
        lowerer.carries(Carries::Parts(4));
        return Ok(());
    }
    lowerer.compute_parts(step.function, &[Some(whole)], &sources, 0);
    lowerer.carries(Carries::Parts(ty.bits() / 8 / parts.len() as u32));
    Ok(())
}

/// `%clock` counts the block's warp instructions: it goes up, and is the same in every run.
fn lower_clock(lowerer: &mut Lowerer, matched: &Matched, kind: Kind) -> Result<(), LoadError> {
    let d = lowerer.result(matched, &matched.operands()[0], kind)?;
    let upper = matches!(&matched.operands()[1], Operand::Name(name) if name.ends_with("_hi"));
    if upper && kind.file() == FileKind::Words {
        let whole = lowerer.fresh(FileKind::Longs);
        lowerer.effect(CLOCK_LONG, &[Some(whole)], &[], 0, 0);
        lowerer.compute_parts(HIGH_32.function, &[Some(d)], &[whole.into()], 0);
        return Ok(());
    }
    let long = kind.file() == FileKind::Longs;
    let clock = if long { CLOCK_LONG } else { CLOCK_WORD };
    lowerer.effect(clock, &[Some(d)], &[], 0, 0);
    Ok(())
}

/// The block's clock. Reading it takes a tick, as instructions are counted where their basic block starts.
fn tick(world: &mut World) -> u64 {
    world.clock_start = world.clock_start.wrapping_sub(1);
    world.warp_instructions.wrapping_sub(world.clock_start)
}

const CLOCK_WORD: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let now = tick(world) as u32;
    let mask = lanes.active;
    crate::machine::lanes::for_each_lane(&mask, |lane| lanes.words.registers[usize::from(inst.d[0])][lane] = now);
});

const CLOCK_LONG: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let now = tick(world);
    let mask = lanes.active;
    crate::machine::lanes::for_each_lane(&mask, |lane| lanes.longs.registers[usize::from(inst.d[0])][lane] = now);
});

/// `cvta.space.u64 d, a;` makes a generic address, `cvta.to.space.u64` an address of the space.
pub(crate) fn lower_cvta(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let Some(space) = lowerer.space(matched)? else {
        return Err(lowerer.unsupported(matched));
    };
    let base = window(space);
    let a = lowerer.source_or_address(matched, &operands[1], Kind::Bits64)?;
    let d = lowerer.result(matched, &operands[0], Kind::Bits64)?;
    if base == 0 {
        lowerer.copy(d, a);
        return Ok(());
    }
    if space == Space::Local && !matched.has("to") {
        lowerer.compute_parts(LOCAL_POINTER, &[Some(d)], &[a], 0);
        return Ok(());
    }
    let step = if matched.has("to") {
        base.wrapping_neg()
    } else {
        base
    };
    let step = lowerer.bits(FileKind::Longs, step);
    lowerer.compute_parts(basic::ADD_64.function, &[Some(d)], &[a, step], 0);
    Ok(())
}

/// The generic address of local memory, which says whose it is.
const LOCAL_POINTER: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let active = lanes.active;
    let from = lanes.longs.source(inst.s[0]).to_vec();
    let first = (lanes.first_warp * WARP) as u32;
    let out = &mut lanes.longs.registers[usize::from(inst.d[0])];
    for_each_lane(&active, |lane| {
        // One that says so already stays as it is.
        let part = if from[lane] < LOCAL_BYTES { local_part(first + lane as u32) } else { 0 };
        out[lane] = from[lane].wrapping_add(window(Space::Local)).wrapping_add(part);
    });
});

/// `isspacep.space p, a;`
pub(crate) fn lower_isspacep(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let Some(space) = lowerer.space(matched)? else {
        return Err(lowerer.unsupported(matched));
    };
    let d = lowerer.result(matched, &operands[0], Kind::Pred)?;
    if matches!(matched.element("space"), "shared" | "shared::cta") {
        return cluster::lower_is_own(lowerer, matched, d);
    }
    let a = lowerer.source(matched, &operands[1], Kind::Bits64)?;
    // Global addresses are those in none of the windows.
    let (first, bytes, negate) = match space {
        Space::Global => (WINDOWS, 4 * WINDOW_BYTES, 1),
        space => (window(space), WINDOW_BYTES, 0),
    };
    lowerer.compute_parts(IN_RANGE, &[Some(d)], &[a], first | negate);
    lowerer.last_aux((bytes / WINDOW_BYTES) as u32);
    Ok(())
}

const IN_RANGE: Both<ComputeFn> = both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let (first, flip) = (inst.imm & !1, if inst.imm & 1 == 1 { u32::MAX } else { 0 });
    let bytes = u64::from(inst.aux) * WINDOW_BYTES;
    for warp in lanes.active.first..lanes.active.last {
        let mut bits = 0u32;
        for lane in 0..WARP {
            let address = lanes.longs.source(inst.s[0])[warp * WARP + lane];
            bits |= u32::from(address.wrapping_sub(first) < bytes) << lane;
        }
        let mask = lanes.active.mask[warp];
        let out = &mut lanes.preds[usize::from(inst.d[0])][warp];
        *out = (*out & !mask) | ((bits ^ flip) & mask);
    }
});

/// `createpolicy… d, …;`: there is no cache here, so that all policies are one.
pub(crate) fn lower_policy(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let Some(operand) = matched.operands().first() else {
        return Err(lowerer.wrong(matched, "expected a register as the destination"));
    };
    let d = lowerer.result(matched, operand, Kind::Bits64)?;
    let policy = lowerer.bits(FileKind::Longs, 0);
    lowerer.copy(d, policy);
    Ok(())
}

/// Instructions without an effect that this emulator could show: fences between threads that take turns,
/// hints, waiting.
pub(crate) fn lower_nothing(_lowerer: &mut Lowerer, _matched: &Matched) -> Result<(), LoadError> {
    Ok(())
}

/// `ld{…}{.space}{…}{.vec}.type d, [a];`
pub(crate) fn lower_ld(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    // A cache-policy operand may follow.
    lowerer.expect_operands(matched, 2..=3)?;
    let operands = matched.operands();
    let (space, base) = lowerer.reached(matched)?;
    let ty = lowerer.element_type(matched, "type")?;
    let (element, kind) = memory_type(lowerer, matched, ty)?;
    let parts = vector_parts(lowerer, matched, &operands[0])?;
    let width = lowerer.width_of_parts(matched, &parts, kind)?;
    if parts.len() == 1
        && space == Some(Space::Param)
        && let Some(value) = lowerer.constant_parameter(&operands[1], ty, width.file())
    {
        let d = lowerer.result(matched, parts[0], width)?;
        lowerer.copy(d, value);
        return Ok(());
    }
    let (address, offset) = lowerer.reach(matched, &operands[1], lowerer.space(matched)?)?;
    let offset = offset.wrapping_add(base);
    let mut results = Vec::new();
    for part in &parts {
        results.push(Some(lowerer.result(matched, part, width)?));
    }
    let long = width.file() == FileKind::Longs;
    let shape = AccessShape {
        wanted: Wanted::ALL,
        site: lowerer.site(space, false, false, element * parts.len() as u32),
        space,
        element,
        count: parts.len() as u32,
        signed: matches!(ty, Type::Signed(_)),
        long,
        uncounted: space == Some(Space::Param),
        atomic: None,
        assembled: Assembled::EachLane,
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: matched.has("nc"),
        is_float: false,
    };
    let lowering = if long { LOAD_LONGS } else { LOAD_WORDS };
    lowerer.access(lowering, &results, &[address], offset, shape);
    lowerer.strengthen_as(matched);
    // A 16-bit register holds nothing above its 16 bits.
    if matches!(ty, Type::Signed(_)) && !long {
        for d in results
            .into_iter()
            .flatten()
            .filter(|d| lowerer.declared_bits(*d) == 16)
            .collect::<Vec<_>>()
        {
            let low = lowerer.fresh(FileKind::Words);
            lowerer.compute_parts(LOW_16.function, &[Some(low)], &[d.into()], 0);
            lowerer.copy(d, low.into());
        }
    }
    Ok(())
}

/// `st{…}{.space}{…}{.vec}.type [a], b;`
pub(crate) fn lower_st(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=3)?;
    let operands = matched.operands();
    let (space, base) = lowerer.reached(matched)?;
    let ty = lowerer.element_type(matched, "type")?;
    let (element, kind) = memory_type(lowerer, matched, ty)?;
    let parts = vector_parts(lowerer, matched, &operands[1])?;
    if space == Some(Space::Const) {
        return Err(lowerer.wrong(matched, "constant memory cannot be stored to"));
    }
    let (address, offset) = lowerer.reach(matched, &operands[0], lowerer.space(matched)?)?;
    let offset = offset.wrapping_add(base);
    let width = lowerer.width_of_parts(matched, &parts, kind)?;
    let mut sources = vec![address];
    for part in &parts {
        sources.push(lowerer.source(matched, part, width)?);
    }
    let long = width.file() == FileKind::Longs;
    let shape = AccessShape {
        wanted: Wanted::ALL,
        site: lowerer.site(space, true, false, element * parts.len() as u32),
        space,
        element,
        count: parts.len() as u32,
        signed: false,
        long,
        uncounted: space == Some(Space::Param),
        atomic: None,
        assembled: Assembled::EachLane,
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: false,
        is_float: matches!(ty, Type::Float(_)),
    };
    lowerer.access(
        if long { STORE_LONGS } else { STORE_WORDS },
        &[],
        &sources,
        offset,
        shape,
    );
    lowerer.strengthen_as(matched);
    Ok(())
}

/// Bytes of an element in memory, and the kind of its register and literals.
fn memory_type(lowerer: &Lowerer, matched: &Matched, ty: Type) -> Result<(u32, Kind), LoadError> {
    let kind = match ty {
        Type::Float(32) => Kind::Single,
        Type::Float(64) => Kind::Double,
        Type::Predicate => return Err(lowerer.unsupported(matched)),
        ty => match ty.bits() {
            8 | 16 => Kind::Bits16,
            32 => Kind::Bits32,
            64 => Kind::Bits64,
            _ => return Err(lowerer.unsupported(matched)),
        },
    };
    Ok((ty.bits() / 8, kind))
}

/// The registers of a vector operand, which must be as many as `.v2` or `.v4` says, of at most 16 bytes.
pub(crate) fn vector_parts<'o, 'a>(
    lowerer: &Lowerer,
    matched: &Matched,
    operand: &'o Operand<'a>,
) -> Result<Vec<&'o Operand<'a>>, LoadError> {
    let expected = match matched.element("vec") {
        "v2" => 2,
        "v4" => 4,
        "" => 1,
        _ => return Err(lowerer.unsupported(matched)),
    };
    let parts: Vec<_> = match operand {
        Operand::Vector(parts) => parts.iter().collect(),
        single => vec![single],
    };
    if parts.len() != expected {
        return Err(lowerer.wrong(
            matched,
            &format!("expected {expected} registers, found {}", parts.len()),
        ));
    }
    if expected as u32 * lowerer.element_type(matched, "type")?.bits() > 128 {
        return Err(lowerer.unsupported(matched));
    }
    Ok(parts)
}
