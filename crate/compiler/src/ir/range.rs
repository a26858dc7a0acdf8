//! Value ranges of signed numbers: between which bounds a whole number lies, as far as it follows from the instructions
//! that give it. Ranges without a sign stand in `unsigned_range`.

use super::{Bin, Body, Cmp, Cvt, Instruction, MemTy, Op, Ty, Value};

/// So many instructions are looked back.
const DEPTH: u32 = 5;

/// The least and the most.
pub(crate) type Range = (i64, i64);

impl Body {
    /// The bounds of a value; none where nothing is known. No step on the way wraps around. What special registers hold is
    /// not known here, as it is not to LLVM where it counts iterations.
    pub(crate) fn range(&self, value: Value) -> Option<Range> {
        self.range_within(value, DEPTH)
    }

    fn range_within(&self, value: Value, depth: u32) -> Option<Range> {
        if let Some(known) = self.signed_constant(value) {
            return Some((known, known));
        }
        let (inst, depth) = (self.def(value)?, depth.checked_sub(1)?);
        let of = |at: usize| self.range_within(*inst.args.get(at)?, depth);
        let (least, most) = match &inst.op {
            Op::Bin(bin) => self.range_of_two(*bin, inst, depth)?,
            Op::Select => {
                let (a, b) = (of(1), of(2));
                let bound = self.bound_by_choice(inst);
                let (a, b) = (a.or(bound)?, b.or(bound)?);
                (a.0.min(b.0), a.1.max(b.1))
            }
            Op::Phi(_) => *self.counted.get(&value)?,
            Op::Cvt(Cvt::ZeroExtend) => of(0).filter(|(least, _)| *least >= 0)?,
            Op::Cvt(Cvt::SignExtend) => of(0)?,
            Op::Cvt(Cvt::ZeroExtendFrom(bits)) => (0, (1_i64.checked_shl(u32::from(*bits))?) - 1),
            Op::Load(mem) if mem.count == 1 && mem.ty == MemTy::U8 => (0, 0xff),
            Op::Load(mem) if mem.count == 1 && mem.ty == MemTy::U16 => (0, 0xffff),
            _ => return None,
        };
        let all = i64::MAX >> (64 - self.ty(value).bits().clamp(1, 64));
        (least >= -all && most <= all).then_some((least, most))
    }

    fn range_of_two(&self, bin: Bin, inst: &Instruction, depth: u32) -> Option<Range> {
        let of = |at: usize| self.range_within(*inst.args.get(at)?, depth);
        let constant = |at: usize| self.signed_constant(*inst.args.get(at)?);
        let positive = |range: Option<Range>| range.filter(|(least, _)| *least >= 0);
        Some(match bin {
            Bin::And => match (positive(of(0)), positive(of(1))) {
                (Some(a), Some(b)) => (0, a.1.min(b.1)),
                (a, b) => (0, a.or(b)?.1),
            },
            Bin::Add => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)
            }
            Bin::Sub => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)
            }
            Bin::Mul => {
                let (a, by) = (of(0)?, constant(1).filter(|by| *by >= 0)?);
                (a.0.checked_mul(by)?, a.1.checked_mul(by)?)
            }
            Bin::RemS => {
                let most = constant(1)?.checked_abs()?.checked_sub(1)?;
                (if positive(of(0)).is_some() { 0 } else { -most }, most)
            }
            Bin::ShrU => {
                let by = u32::try_from(constant(1)?).ok()?;
                let all =
                    positive(of(0)).map_or(u64::MAX >> (64 - self.bits_of(inst)), |a| a.1 as u64);
                (0, i64::try_from(all.checked_shr(by)?).ok()?)
            }
            Bin::MinS => match (of(0), of(1)) {
                (Some(a), Some(b)) => (a.0.min(b.0), a.1.min(b.1)),
                (a, b) => (-(i64::MAX >> (64 - self.bits_of(inst))), a.or(b)?.1),
            },
            Bin::MinU => match (positive(of(0)), positive(of(1))) {
                (Some(a), Some(b)) => (a.0.min(b.0), a.1.min(b.1)),
                (a, b) => (0, a.or(b)?.1),
            },
            Bin::MaxS => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0.max(b.0), a.1.max(b.1))
            }
            _ => return None,
        })
    }

    /// What `a < 7 ? a : 7` says of `a` where it is chosen.
    fn bound_by_choice(&self, inst: &Instruction) -> Option<Range> {
        let test = self.def(*inst.args.first()?)?;
        let Op::Cmp(cmp) = test.op else { return None };
        let (a, b) = (
            self.signed_constant(test.args[0]),
            self.signed_constant(test.args[1]),
        );
        let (bound, of) = (
            a.or(b)?,
            if a.is_some() {
                test.args[1]
            } else {
                test.args[0]
            },
        );
        let is_signed = matches!(cmp, Cmp::LtS | Cmp::LeS | Cmp::GtS | Cmp::GeS);
        let other = [inst.args[1], inst.args[2]]
            .into_iter()
            .find(|arg| *arg != of)?;
        let is_bound =
            is_signed && inst.args[1..].contains(&of) && self.signed_constant(other) == Some(bound);
        // The smaller of the two is chosen if the number is chosen where it is below the bound.
        let is_below = matches!(cmp, Cmp::LtS | Cmp::LeS) == b.is_some();
        let is_least = is_below == (inst.args[1] == of);
        (is_bound && is_least).then_some((-(i64::MAX >> (64 - self.bits_of(inst))), bound))
    }

    fn bits_of(&self, inst: &Instruction) -> u32 {
        let bits = inst
            .results
            .first()
            .map_or(64, |result| self.ty(*result).bits());
        bits.clamp(1, 64)
    }

    fn signed_constant(&self, value: Value) -> Option<i64> {
        let (bits, ty) = (self.constant(value)?, self.ty(value));
        matches!(ty, Ty::B32 | Ty::B64).then(|| ty.signed(bits))
    }
}
