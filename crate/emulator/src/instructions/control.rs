//! PTX ISA chapters "Control Flow" and "bar": branches, barriers, exits. Calls are `decode::calls`.

use crate::decode::ir::Act;
use crate::decode::lower::{Lowerer, Matched};
use crate::decode::names::Meaning;
use crate::error::LoadError;
use crate::parse::ast::Operand;
use crate::program::BarrierKind;
use crate::program::kinds::Kind;

/// `bra{.uni} label;`
pub(crate) fn lower_bra(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 1..=1)?;
    let Operand::Name(name) = matched.operands()[0] else {
        return Err(lowerer.wrong(matched, "expected a label"));
    };
    let label = lowerer.label(name, matched.instruction.line)?;
    let guard = lowerer.guard;
    match guard {
        Some(_) => lowerer.push(Act::Branch(label), guard),
        None => lowerer.push(Act::Jump(label), None),
    };
    Ok(())
}

/// `brx.idx{.uni} index, targets;`
pub(crate) fn lower_brx(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let Operand::Name(name) = matched.operands()[1] else {
        return Err(lowerer.wrong(matched, "expected the label of a `.branchtargets` list"));
    };
    let Some(Meaning::Targets(table)) = lowerer.names.meaning(name) else {
        return Err(lowerer.wrong(matched, &format!("`{name}` is no `.branchtargets` list")));
    };
    let index = lowerer.source(matched, &matched.operands()[0], Kind::Bits32)?;
    lowerer.under_guard(|lowerer| {
        let op = lowerer.push(Act::Switch, None);
        op.s[0] = index;
        op.aux = table;
        Ok(())
    })
}

/// `ret;` and `exit;`
pub(crate) fn lower_exit(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    let back = if matched.opcode() == "ret" {
        lowerer.return_label
    } else {
        None
    };
    let act = match back {
        Some(label) => Act::Jump(label),
        None if lowerer.frame_moves && matched.opcode() == "ret" => Act::Return,
        None => Act::Exit,
    };
    lowerer.under_guard(|lowerer| {
        lowerer.push(act, None);
        Ok(())
    })
}

/// `trap;`
pub(crate) fn lower_trap(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 0..=0)?;
    lowerer.under_guard(|lowerer| {
        lowerer.push(Act::Trap, None);
        Ok(())
    })
}

/// `bar.sync a{, b};`, `bar.arrive a, b;`, `bar.red.op d, a{, b}, {!}c;` and the same of `barrier`.
pub(crate) fn lower_bar(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let operands = matched.operands();
    let kind = match (matched.element("op"), matched.element("red")) {
        ("sync", _) => BarrierKind::Sync,
        ("arrive", _) => BarrierKind::Arrive,
        (_, "and") => BarrierKind::And,
        (_, "or") => BarrierKind::Or,
        (_, "popc") => BarrierKind::Count,
        _ => return Err(lowerer.unsupported(matched)),
    };
    let reduces = !matches!(kind, BarrierKind::Sync | BarrierKind::Arrive);
    let (first, last) = if reduces {
        (1, operands.len().saturating_sub(1))
    } else {
        (0, operands.len())
    };
    lowerer.expect_operands(matched, if reduces { 3..=4 } else { 1..=2 })?;
    let number = lowerer.source(matched, &operands[first], Kind::Bits32)?;
    let threads = match operands[first + 1..last].first() {
        Some(threads) => lowerer.source(matched, threads, Kind::Bits32)?,
        None => Default::default(),
    };
    let mut result = None;
    let mut predicate = Default::default();
    if reduces {
        let file = if kind == BarrierKind::Count {
            Kind::Bits32
        } else {
            Kind::Pred
        };
        result = Some(lowerer.result(matched, &operands[0], file)?);
        predicate = lowerer.predicate(matched, &operands[last])?;
    }
    // `bar` is `barrier.aligned`; without it, threads of a warp may come one by one.
    let apart = matched.opcode() == "barrier" && !matched.has("aligned");
    lowerer.under_guard(|lowerer| {
        let op = lowerer.push(Act::Barrier(kind), None);
        op.d[0] = result;
        op.s[0] = number;
        op.s[1] = threads;
        op.s[2] = predicate;
        op.aux = u32::from(apart);
        Ok(())
    })
}
