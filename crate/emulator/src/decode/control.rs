//! PTX ISA chapters "Control Flow" and "bar": branches, calls (inlined), barriers, exits.

use crate::decode::ir::Act;
use crate::decode::lower::{Lowerer, Matched, unsupported};
use crate::decode::names::{Location, Meaning};
use crate::error::LoadError;
use crate::execute::lanes::Kind;
use crate::execute::program::BarrierKind;
use crate::execute::world::FRAME;
use crate::parse::ast::{Function, Operand};
use crate::report::Space;

/// Calls may be nested so deep: they are inlined.
const MOST_CALLS: usize = 64;

/// `Trap`'s `aux` for a failed assertion.
pub(crate) const ASSERT: u32 = 1;

impl<'a> Lowerer<'a> {
    /// Runs `build` where the instruction's guard holds, by a branch around it.
    pub(crate) fn under_guard(
        &mut self,
        build: impl FnOnce(&mut Self) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let Some((reg, negated)) = self.guard.take() else {
            return build(self);
        };
        let skip = self.body.label();
        self.push(Act::Branch(skip), Some((reg, !negated)));
        build(self)?;
        self.mark_label(skip);
        Ok(())
    }
}

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
    let act = back.map_or(Act::Exit, Act::Jump);
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

/// `call{.uni} {(result),} function{, (arguments)};`
pub(crate) fn lower_call<'a>(
    lowerer: &mut Lowerer<'a>,
    matched: &Matched<'_, 'a>,
) -> Result<(), LoadError> {
    let (results, rest) = match matched.operands() {
        [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[] as &[Operand], rest),
    };
    let (name, arguments) = match rest {
        [Operand::Name(name)] => (*name, &[] as &[Operand]),
        [Operand::Name(name), Operand::List(arguments)] => (*name, arguments.as_slice()),
        [Operand::Name(name), Operand::List(_), Operand::Name(_)] => {
            return Err(unsupported(
                &format!("call through the pointer {name}"),
                matched.instruction.line,
            ));
        }
        _ => return Err(lowerer.wrong(matched, "expected a function and its arguments")),
    };
    if name == "__assertfail" {
        return lowerer.under_guard(|lowerer| {
            lowerer.push(Act::Trap, None).aux = ASSERT;
            Ok(())
        });
    }
    let Some(function) = lowerer.functions.get(name).copied() else {
        let register = lowerer.declared_reg(name).is_some();
        let what = if register {
            "call through a pointer".to_string()
        } else {
            format!("call of `{name}`")
        };
        return Err(unsupported(&what, matched.instruction.line));
    };
    if function.body.is_none() {
        return Err(unsupported(
            &format!("call of `{name}`, which the PTX does not define"),
            matched.instruction.line,
        ));
    }
    if lowerer.calls.contains(&name) || lowerer.calls.len() >= MOST_CALLS {
        return Err(unsupported(
            &format!("recursive call of `{name}`"),
            matched.instruction.line,
        ));
    }
    lowerer.under_guard(|lowerer| lowerer.inline(matched, function, results, arguments))
}

impl<'a> Lowerer<'a> {
    /// Decodes a called function's body in place, its parameters bound to the caller's variables.
    fn inline(
        &mut self,
        matched: &Matched<'_, 'a>,
        function: &'a Function<'a>,
        results: &[Operand<'a>],
        arguments: &[Operand<'a>],
    ) -> Result<(), LoadError> {
        if results.len() != function.returns.len() || arguments.len() != function.params.len() {
            return Err(self.wrong(
                matched,
                &format!("`{}` takes other arguments than these", function.name),
            ));
        }
        let mut bound = Vec::new();
        let operands = arguments.iter().chain(results);
        for (operand, parameter) in operands.zip(function.params.iter().chain(&function.returns)) {
            let location = match operand {
                Operand::Name(name) => self.names.meaning(name),
                _ => None,
            };
            match location {
                Some(Meaning::Variable(location))
                    if location.space == Space::Param && location.address & FRAME != 0 =>
                {
                    bound.push((parameter, location));
                }
                // Registers as arguments are what very old PTX has.
                _ => return Err(self.unsupported(matched)),
            }
        }
        let back = self.body.label();
        let hidden = self.names.enter_function();
        for (parameter, location) in bound {
            let meaning = Meaning::Variable(Location { ..location });
            self.define(parameter.name, meaning, parameter.line)?;
        }
        let outer = self.return_label.replace(back);
        self.calls.push(function.name);
        let (frame, source_line) = (self.frame, self.location);
        self.scope(function.body.as_deref().unwrap_or_default())?;
        (self.frame, self.location) = (frame, source_line);
        self.calls.pop();
        self.return_label = outer;
        self.names.leave_function(hidden);
        self.guard = None;
        self.mark_label(back);
        Ok(())
    }
}
