//! Finds products of 64 bits whose factors are widened numbers of 32: one instruction gives them.

use crate::ir::graph::home;
use crate::ir::{Bin, Block, Body, Cvt, Instruction, Op, Ty, Value};

/// What a product of 64 bits takes in the place of numbers of 32 that are widened.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub(super) sign: &'static str,
    pub(super) from: Value,
    pub(super) by: Factor,
}

#[derive(Clone, Copy)]
pub(super) enum Factor {
    Number(Value),
    Constant(u64),
}

impl Wide {
    /// Where `mul.wide` gives what an instruction does: of a number that is widened and a constant, or of two that are widened
    /// alike where they are multiplied, as in LLVM, which chooses instructions block by block.
    pub(super) fn new(body: &Body, homes: &[Option<Block>], data: &Instruction) -> Option<Self> {
        let Op::Bin(bin @ (Bin::Mul | Bin::Shl)) = data.op else {
            return None;
        };
        if body.ty(data.results[0]) != Ty::B64 {
            return None;
        }
        let (sign, most, from) = widened(body, data.args[0])?;
        let is_here = |arg: &Value| home(body, homes, *arg) == home(body, homes, data.results[0]);
        if !is_here(&data.args[0]) {
            return None;
        }
        let by = match (body.constant(data.args[1]), bin) {
            (Some(by), _) => {
                let factor = match bin {
                    Bin::Shl => 1_u64.checked_shl(by as u32).unwrap_or(0),
                    _ => by,
                };
                (1..=most)
                    .contains(&factor)
                    .then_some(Factor::Constant(factor))?
            }
            (None, Bin::Mul) => {
                let (other, _, by) = widened(body, data.args[1])?;
                let is_wide = other == sign && is_here(&data.args[1]);
                is_wide.then_some(Factor::Number(by))?
            }
            _ => return None,
        };
        Some(Self { sign, from, by })
    }

    /// The numbers of 32 bits that it reads.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Value> {
        let by = match self.by {
            Factor::Number(by) => Some(by),
            Factor::Constant(_) => None,
        };
        std::iter::once(self.from).chain(by)
    }
}

/// Of a number of 32 bits that is widened to 64: how, the most that a constant may be then, and the number.
fn widened(body: &Body, value: Value) -> Option<(&'static str, u64, Value)> {
    let data = body.def(value)?;
    let (sign, most) = match data.op {
        Op::Cvt(Cvt::ZeroExtend) => ("u32", u64::from(u32::MAX)),
        Op::Cvt(Cvt::SignExtend) => ("s32", i32::MAX as u64),
        _ => return None,
    };
    let from = data.args[0];
    (body.ty(from) == Ty::B32).then_some((sign, most, from))
}
