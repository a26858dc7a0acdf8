//! Which instructions divide integers, by what: a launch's checks look at the divisor before. What they find is `operations::division`'s.
//!
//! A compiler that unrolls `for (i = begin; i < end; i += step)` divides by `step` before the loop, to know how many
//! iterations are left over. Where `step` is 0 the source divides by nothing, and its mistake is a loop that never ends: such
//! a quotient is no division of the source. It is known by its uses: it is compared with constants, and of the sum of it
//! and a constant only the remainder by a constant is taken, and what is left without it.

use std::collections::{HashMap, HashSet};

use crate::operations::drive::Compute;
use crate::parse::ast::{Instruction, Operand, Statement};
use crate::program::kinds::Kind;

/// The divisor of an integer division or remainder, with its kind and bits, unless it is a constant that is not 0.
pub(super) fn divisor<'o, 'a>(
    opcode: &str,
    operands: &'o [Operand<'a>],
    compute: Compute,
) -> Option<(&'o Operand<'a>, Kind, u64)> {
    let ([_, kind], [_, _, divisor]) = (compute.sources, operands) else {
        return None;
    };
    let bits = match kind {
        Kind::Bits16 => 16,
        Kind::Bits32 => 32,
        Kind::Bits64 => 64,
        Kind::Pred | Kind::Single | Kind::Double => return None,
    };
    let is_sound = matches!(divisor, Operand::Int(value) if *value != 0);
    let divides = matches!(opcode, "div" | "rem");
    (divides && !is_sound).then_some((divisor, *kind, bits))
}

/// The registers of a function's body that hold how often an unrolled loop runs, and nothing else.
pub(super) fn trip_counts<'a>(body: &'a [Statement<'a>]) -> HashSet<&'a str> {
    let mut all = Vec::new();
    flatten(body, &mut all);
    let quotients: Vec<&str> = (all.iter())
        .filter(|instruction| matches!(instruction.opcode, "div.u32" | "div.u64"))
        .filter_map(|instruction| result(instruction))
        .collect();
    if quotients.is_empty() {
        return HashSet::new();
    }
    let uses = Uses::of(&all);
    let is_count = |quotient: &&str| uses.is_trip_count(quotient);
    quotients.into_iter().filter(is_count).collect()
}

fn flatten<'a>(statements: &'a [Statement<'a>], into: &mut Vec<&'a Instruction<'a>>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => into.push(instruction),
            Statement::Scope(inner) => flatten(inner, into),
            _ => {}
        }
    }
}

/// The register that an instruction writes, if it writes one in every lane.
fn result<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    match (instruction.guard, instruction.operands.first()) {
        (None, Some(Operand::Name(name))) => Some(name),
        _ => None,
    }
}

/// The instructions in which each name stands.
struct Uses<'a>(HashMap<&'a str, Vec<&'a Instruction<'a>>>);

impl<'a> Uses<'a> {
    fn of(all: &[&'a Instruction<'a>]) -> Self {
        let mut uses: HashMap<&str, Vec<&Instruction<'_>>> = HashMap::new();
        for instruction in all {
            let guard = instruction.guard.iter().map(|guard| guard.name);
            let operands = instruction.operands.iter();
            for name in guard.chain(operands.flat_map(Operand::names)) {
                uses.entry(name).or_default().push(instruction);
            }
        }
        Self(uses)
    }

    /// Whether a register is written once and read only as `reads` says.
    fn is_only(&self, name: &str, reads: impl Fn(&Instruction<'a>) -> bool) -> bool {
        let Some(uses) = self.0.get(name) else {
            return false;
        };
        let writes = |instruction: &&&Instruction<'a>| result(instruction) == Some(name);
        let mut read = uses.iter().filter(|instruction| !writes(instruction));
        uses.iter().filter(writes).count() == 1 && read.all(|instruction| reads(instruction))
    }

    fn is_trip_count(&self, quotient: &str) -> bool {
        self.is_only(quotient, |read| match shape(read) {
            ("setp", [_, _, Operand::Int(_)]) => true,
            ("add", [Operand::Name(all), _, Operand::Int(_)]) => self.is_number_of_iterations(all),
            _ => false,
        })
    }

    /// Of all iterations, some are left over and the others run several at a time.
    fn is_number_of_iterations(&self, all: &str) -> bool {
        self.is_only(all, |read| match shape(read) {
            ("setp" | "and" | "rem", [_, _, Operand::Int(_)]) => true,
            ("sub", [_, Operand::Name(whole), Operand::Name(left)]) => {
                let is_left = |instruction: &&Instruction<'a>| match shape(instruction) {
                    ("and" | "rem", [Operand::Name(to), Operand::Name(of), Operand::Int(_)]) => {
                        to == left && *of == all
                    }
                    _ => false,
                };
                *whole == all
                    && self
                        .0
                        .get(left)
                        .is_some_and(|uses| uses.iter().any(is_left))
            }
            _ => false,
        })
    }
}

/// The opcode without modifiers, and the operands.
fn shape<'o, 'a>(instruction: &'o Instruction<'a>) -> (&'a str, &'o [Operand<'a>]) {
    let opcode = instruction.opcode.split('.').next().unwrap_or("");
    (opcode, &instruction.operands)
}
