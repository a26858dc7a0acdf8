//! Trailing zeros, the part of LLVM's known bits that is needed here: how many of a number's lowest bits are zeros, as
//! far as it follows from the instructions that give it.

use super::{Bin, Body, Cvt, Op, Value};

/// So many instructions are looked back.
const DEPTH: u32 = 8;

/// The most ways on which a phi is asked for.
const MOST_WAYS: usize = 4;

impl Body {
    /// At least so many: of what a loop begins with 0 and counts by 4 it is two in each iteration.
    pub(crate) fn trailing_zeros(&self, value: Value) -> u32 {
        self.trailing_zeros_within(value, DEPTH, &mut Vec::new())
    }

    /// `open` are the phis that are asked for already: what comes back to one takes no zeros from it, for each operation here
    /// leaves at least as many as the fewest of what it is given.
    fn trailing_zeros_within(&self, value: Value, depth: u32, open: &mut Vec<Value>) -> u32 {
        let bits = self.ty(value).bits();
        if let Some(constant) = self.constant(value) {
            return constant.trailing_zeros().min(bits);
        }
        let (Some(inst), Some(depth)) = (self.def(value), depth.checked_sub(1)) else {
            return 0;
        };
        let mut of = |at: usize| match inst.args.get(at) {
            Some(arg) => self.trailing_zeros_within(*arg, depth, open),
            None => 0,
        };
        let zeros = match &inst.op {
            Op::Bin(Bin::Add | Bin::Sub | Bin::Or | Bin::Xor) => of(0).min(of(1)),
            Op::Bin(Bin::And) => of(0).max(of(1)),
            Op::Bin(Bin::Mul) => of(0).saturating_add(of(1)),
            Op::Bin(Bin::Shl) => match self.constant(inst.args[1]) {
                Some(by) => of(0).saturating_add(by.min(64) as u32),
                None => of(0),
            },
            Op::Cvt(Cvt::ZeroExtend | Cvt::SignExtend) => of(0),
            Op::Select => of(1).min(of(2)),
            Op::Phi(_) if open.contains(&value) => bits,
            Op::Phi(_) if inst.args.len() <= MOST_WAYS => {
                open.push(value);
                let ways = inst.args.iter();
                let zeros = ways
                    .map(|arg| self.trailing_zeros_within(*arg, depth, open))
                    .min();
                open.pop();
                zeros.unwrap_or(0)
            }
            _ => 0,
        };
        zeros.min(bits)
    }
}
