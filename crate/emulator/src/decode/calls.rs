//! PTX ISA section "Control Flow Instructions: call": functions are inlined where that ends, else called.

use std::collections::HashMap;

use crate::decode::external;
use crate::decode::functions::{Callees, signature, supported};
use crate::decode::ir::{Act, Op};
use crate::decode::lower::{Lowerer, Matched, unsupported};
use crate::decode::names::{Location, Meaning};
use crate::error::LoadError;
use crate::operations::frame::{CHOOSE_FUNCTION, LEAVE_FRAME};
use crate::parse::ast::{Function, Operand};
use crate::program::call::{CallSite, Piece, Signature};
use crate::program::kinds::Kind;
use crate::program::space::FRAME;
use crate::report::Space;

/// Calls may be nested so deep in what is inlined.
const MOST_INLINED_DEPTH: usize = 64;
/// Operations beyond which nothing more is inlined into an entry, and into a function that is called: there may
/// be many of those, each of which would take in the others.
const MOST_INLINED_OPS: usize = 1 << 16;
const MOST_INLINED_CALLEE_OPS: usize = 1 << 11;
/// Alignment of parameters and results in a callee's frame.
const SLOT_BYTES: u64 = 16;

/// A call as written.
struct Call<'o, 'a> {
    target: &'a str,
    results: &'o [Operand<'a>],
    arguments: &'o [Operand<'a>],
    /// The label of a prototype or of a list of targets.
    callees: Option<&'a str>,
}

impl<'o, 'a> Call<'o, 'a> {
    fn new(lowerer: &Lowerer, matched: &Matched<'o, 'a>) -> Result<Self, LoadError> {
        let (results, rest) = match matched.operands() {
            [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
            rest => (&[] as &[Operand], rest),
        };
        let (target, arguments, callees) = match rest {
            [Operand::Name(target)] => (*target, &[] as &[Operand], None),
            [Operand::Name(target), Operand::List(arguments)] => {
                (*target, arguments.as_slice(), None)
            }
            [
                Operand::Name(target),
                Operand::List(arguments),
                Operand::Name(callees),
            ] => (*target, arguments.as_slice(), Some(*callees)),
            [Operand::Name(target), Operand::Name(callees)] => {
                (*target, &[] as &[Operand], Some(*callees))
            }
            _ => return Err(lowerer.wrong(matched, "expected a function and its arguments")),
        };
        Ok(Self {
            target,
            results,
            arguments,
            callees,
        })
    }
}

/// `call{.uni} {(result),} function{, (arguments)}{, prototype};`
pub(crate) fn lower_call<'a>(
    lowerer: &mut Lowerer<'a>,
    matched: &Matched<'_, 'a>,
) -> Result<(), LoadError> {
    let call = Call::new(lowerer, matched)?;
    let line = matched.instruction.line;
    let arguments = lowerer.frame_locations(matched, call.arguments)?;
    let results = lowerer.frame_locations(matched, call.results)?;
    if lowerer.declared_reg(call.target).is_some() {
        return lowerer
            .under_guard(|lowerer| lowerer.call_pointer(matched, &call, &arguments, &results));
    }
    let function = lowerer.functions.get(call.target);
    let Some(function) = function.filter(|function| function.body.is_some()) else {
        if let Some(build) = external::function(call.target) {
            return lowerer.under_guard(|lowerer| build(lowerer, matched, &arguments, &results));
        }
        let what = format!("call of `{}`, which the PTX does not define", call.target);
        return Err(unsupported(&what, line));
    };
    let fits = call.results.len() == function.returns.len()
        && call.arguments.len() == function.params.len();
    if !fits || function.is_entry {
        let message = format!("`{}` takes other arguments than these", call.target);
        return Err(lowerer.wrong(matched, &message));
    }
    let most = if lowerer.frame_moves {
        MOST_INLINED_CALLEE_OPS
    } else {
        MOST_INLINED_OPS
    };
    let inlined = !lowerer.calls.contains(&function.name)
        && lowerer.calls.len() < MOST_INLINED_DEPTH
        && lowerer.body.ops.len() < most;
    lowerer.under_guard(|lowerer| {
        if inlined {
            return lowerer.inline(function, &arguments, &results);
        }
        let number = lowerer.function_number(function);
        let signature = signature(&function.returns, &function.params);
        lowerer.call(Some(number), signature, &arguments, &results);
        Ok(())
    })
}

impl<'a> Lowerer<'a> {
    /// Where the parameter variables of a call lie in the caller's frame.
    fn frame_locations(
        &self,
        matched: &Matched<'_, 'a>,
        operands: &[Operand<'a>],
    ) -> Result<Vec<Location>, LoadError> {
        let mut locations = Vec::new();
        for operand in operands {
            let meaning = match operand {
                Operand::Name(name) => self.names.meaning(name),
                _ => None,
            };
            match meaning {
                Some(Meaning::Variable(location))
                    if location.space == Space::Param && location.address & FRAME != 0 =>
                {
                    locations.push(location);
                }
                // Registers as arguments are what very old PTX has.
                _ => {
                    let what = "call with arguments in registers";
                    return Err(unsupported(what, matched.instruction.line));
                }
            }
        }
        Ok(locations)
    }

    /// Decodes a called function's body in place, its parameters bound to the caller's variables.
    fn inline(
        &mut self,
        function: &'a Function<'a>,
        arguments: &[Location],
        results: &[Location],
    ) -> Result<(), LoadError> {
        supported(function)?;
        let back = self.body.label();
        let hidden = self.names.enter_function();
        let variables = function.params.iter().chain(&function.returns);
        for (variable, location) in variables.zip(arguments.iter().chain(results)) {
            let location = Location {
                stride: variable.stride,
                ..*location
            };
            self.define(variable.name, Meaning::Variable(location), variable.line)?;
        }
        let outer = self.return_label.replace(back);
        self.calls.push(function.name);
        let (frame, here) = (self.frame, self.lines.here());
        let locals = self.locals.take();
        self.function_body(function)?;
        self.frame = frame;
        self.lines.return_to(here);
        self.calls.pop();
        self.return_label = outer;
        self.names.leave_function(hidden);
        self.guard = None;
        self.mark_label(back);
        if let Some((first, end)) = std::mem::replace(&mut self.locals, locals) {
            let names = &mut self.body.inlined;
            let known = names.iter().position(|name| name == function.name);
            let number = known.unwrap_or_else(|| {
                names.push(function.name.to_string());
                names.len() - 1
            });
            self.effect(LEAVE_FRAME, &[], &[], first << 32 | end, number as u32);
            self.has_left = true;
        }
        Ok(())
    }

    /// The number of a function that is called rather than inlined; it is decoded later.
    fn function_number(&mut self, function: &'a Function<'a>) -> u32 {
        let next = self.called.len() as u32 + 1;
        let number = *self.called_numbers.entry(function.name).or_insert(next);
        if number == next {
            self.called.push(function);
        }
        number
    }

    /// The numbers of the functions that are called, by address.
    pub(super) fn function_addresses(&self) -> HashMap<u64, u32> {
        let numbers = self.called.iter().zip(1..);
        numbers
            .filter_map(|(function, number)| Some((self.functions.address(function.name)?, number)))
            .collect()
    }

    fn call_pointer(
        &mut self,
        matched: &Matched<'_, 'a>,
        call: &Call<'_, 'a>,
        arguments: &[Location],
        results: &[Location],
    ) -> Result<(), LoadError> {
        let callees = call.callees.and_then(|name| self.names.meaning(name));
        let Some(Meaning::Callees(callees)) = callees else {
            let message = "expected a `.callprototype` or `.calltargets` after the arguments";
            return Err(self.wrong(matched, message));
        };
        let pointer = self.source(matched, &Operand::Name(call.target), Kind::Bits64)?;
        let functions = self.functions;
        let like = match &self.callees[callees] {
            Callees::Like(like) => like.clone(),
            Callees::Among(names) => {
                let first = names.iter().find_map(|name| functions.get(name));
                let Some(first) = first else {
                    return Err(self.wrong(matched, "`.calltargets` names no function"));
                };
                signature(&first.returns, &first.params)
            }
        };
        if like.params.len() != arguments.len() || like.returns.len() != results.len() {
            return Err(self.wrong(matched, "the prototype takes other arguments than these"));
        }
        self.meet_callees(callees, &like);
        self.effect(CHOOSE_FUNCTION, &[], &[pointer], 0, 0);
        self.call(None, like, arguments, results);
        Ok(())
    }

    /// Gives the functions that a pointer may point to their numbers.
    fn meet_callees(&mut self, callees: usize, like: &Signature) {
        let functions = self.functions;
        let Callees::Among(names) = &self.callees[callees] else {
            if self.met.insert(like.clone()) {
                for function in functions.like(like) {
                    self.function_number(function);
                }
            }
            return;
        };
        let among: Vec<_> = names
            .iter()
            .filter_map(|name| functions.get(name))
            .filter(|function| function.body.is_some())
            .filter(|function| signature(&function.returns, &function.params) == *like)
            .collect();
        for function in among {
            self.function_number(function);
        }
    }

    fn call(
        &mut self,
        target: Option<u32>,
        signature: Signature,
        arguments: &[Location],
        results: &[Location],
    ) {
        let (params, returns) = layout(&signature);
        let pieces = |here: &[Location], there: &[u64], bytes: &[u64]| {
            let piece = |((here, there), bytes): ((&Location, &u64), &u64)| Piece {
                caller: (here.address & !FRAME) as u32,
                callee: *there as u32,
                words: bytes.div_ceil(4) as u32,
            };
            here.iter().zip(there).zip(bytes).map(piece).collect()
        };
        let call = CallSite {
            target,
            arguments: pieces(arguments, &params, &signature.params),
            results: pieces(results, &returns, &signature.returns),
            signature,
            saved: Vec::new(),
            save_at: 0,
        };
        self.body.calls.push(call);
        let number = self.body.calls.len() as u32 - 1;
        self.push(Act::Call, None).aux = number;
    }

    /// Decodes a function that is called: its parameters and results start its frame.
    pub(super) fn called_function(
        &mut self,
        function: &'a Function<'a>,
    ) -> Result<(Vec<Op>, u64), LoadError> {
        supported(function)?;
        self.start_function(function.name);
        self.frame_moves = true;
        let hidden = self.names.enter_function();
        let signature = signature(&function.returns, &function.params);
        let (params, returns) = layout(&signature);
        let variables = function.params.iter().chain(&function.returns);
        for (variable, address) in variables.zip(params.iter().chain(&returns)) {
            let location = Location {
                space: Space::Param,
                address: address | FRAME,
                stride: variable.stride,
            };
            self.define(variable.name, Meaning::Variable(location), variable.line)?;
        }
        self.reserve_frame(frame_start(&signature), function.line)?;
        self.function_body(function)?;
        self.names.leave_function(hidden);
        self.push(Act::Return, None);
        Ok(self.finish_function())
    }
}

/// Offsets of parameters and results in a callee's frame. They depend on sizes alone, so that a caller that
/// knows only the prototype agrees.
fn layout(signature: &Signature) -> (Vec<u64>, Vec<u64>) {
    let mut end = 0u64;
    let mut place = |bytes: &u64| {
        let start = end;
        end = end.saturating_add(*bytes).saturating_add(SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES;
        start
    };
    let params = signature.params.iter().map(&mut place).collect();
    let returns = signature.returns.iter().map(&mut place).collect();
    (params, returns)
}

/// Where a callee's own variables start.
fn frame_start(signature: &Signature) -> u64 {
    let all = signature.params.iter().chain(&signature.returns);
    all.fold(0u64, |sum, bytes| {
        sum.saturating_add(*bytes).saturating_add(SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES
    })
}
