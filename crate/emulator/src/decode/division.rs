//! Puts a look at the divisor before each division of integers and each remainder. What it finds is `operations::division`'s.

use crate::decode::ir::Carries;
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::operations::division::DIVISOR;
use crate::operations::drive::Compute;
use crate::parse::ast::Operand;
use crate::program::kinds::Kind;

/// Of an integer division or remainder, lets a launch's checks see the divisor before.
pub(crate) fn watch_divisor(
    lowerer: &mut Lowerer,
    matched: &Matched,
    compute: Compute,
) -> Result<(), LoadError> {
    let [_, kind] = compute.sources else {
        return Ok(());
    };
    let bits = match kind {
        Kind::Bits16 => 16,
        Kind::Bits32 => 32,
        Kind::Bits64 => 64,
        Kind::Pred | Kind::Single | Kind::Double => return Ok(()),
    };
    let [_, _, divisor] = matched.operands() else {
        return Ok(());
    };
    let is_sound = matches!(divisor, Operand::Int(value) if *value != 0);
    if is_sound || !matches!(matched.opcode(), "div" | "rem") {
        return Ok(());
    }
    let divisor = lowerer.source(matched, divisor, *kind)?;
    lowerer.effect(DIVISOR, &[], &[divisor], bits, 0);
    lowerer.carries(Carries::Shown);
    Ok(())
}
