//! Which instructions divide integers, by what: a launch's checks look at the divisor before. What they find is `operations::division`'s.

use crate::operations::drive::Compute;
use crate::parse::ast::Operand;
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
