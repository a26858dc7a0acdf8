//! A thread's frame of local memory: its address, `alloca`, and the pointers that calls go through.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::machine::world::World;
use crate::operations::drive::one;
use crate::parse::ast::Operand;
use crate::program::kinds::Kind;

/// `alloca.type d, bytes{, align};` The memory lies behind the frame until the function returns.
pub(crate) fn lower_alloca(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=3)?;
    let operands = matched.operands();
    let kind = if matched.has("u64") || matched.has("b64") {
        Kind::Bits64
    } else {
        Kind::Bits32
    };
    if kind == Kind::Bits32 {
        return Err(lowerer.unsupported(matched));
    }
    let bytes = lowerer.source(matched, &operands[1], kind)?;
    let align = match operands.get(2) {
        Some(Operand::Int(align)) if align.is_power_of_two() => (*align).clamp(8, 128),
        None => 8,
        _ => return Err(lowerer.wrong(matched, "the alignment must be a power of two")),
    };
    let d = lowerer.result(matched, &operands[0], kind)?;
    lowerer.effect(ALLOCA, &[Some(d)], &[bytes], align, 0);
    Ok(())
}

const ALLOCA: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let sizes = lanes.longs.source(inst.s[0]).to_vec();
    let active = lanes.active;
    let limit = world.program.stack_limit();
    for_each_lane(&active, |lane| {
        let start = lanes.frame.tops[lane].max(lanes.frame.end).next_multiple_of(inst.imm);
        let end = start.saturating_add(sizes[lane]);
        let end = if end > limit { start } else { end };
        lanes.frame.tops[lane] = end;
        lanes.longs.registers[usize::from(inst.d[0])][lane] = start;
    });
    let top = lanes.frame.highest(&active);
    lanes.grow_local(top);
});

/// `stacksave.type d;` and `stackrestore.type a;`
pub(crate) fn lower_stack(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 1..=1)?;
    if matched.has("u32") || matched.has("b32") {
        return Err(lowerer.unsupported(matched));
    }
    let operand = &matched.operands()[0];
    if matched.opcode() == "stacksave" {
        let d = lowerer.result(matched, operand, Kind::Bits64)?;
        lowerer.effect(STACK_SAVE, &[Some(d)], &[], 0, 0);
    } else {
        let a = lowerer.source(matched, operand, Kind::Bits64)?;
        lowerer.effect(STACK_RESTORE, &[], &[a], 0, 0);
    }
    Ok(())
}

const STACK_SAVE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, _world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for_each_lane(&active, |lane| {
        let top = lanes.frame.tops[lane].max(lanes.frame.end);
        lanes.longs.registers[usize::from(inst.d[0])][lane] = top;
    });
});

const STACK_RESTORE: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, _world: &mut World, inst: &Inst) {
    let tops = lanes.longs.source(inst.s[0]).to_vec();
    let active = lanes.active;
    for_each_lane(&active, |lane| {
        lanes.frame.tops[lane] = tops[lane].min(lanes.frame.tops[lane]);
    });
});
