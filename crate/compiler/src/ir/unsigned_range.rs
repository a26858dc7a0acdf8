//! Value ranges of unsigned numbers: the most that one can be, as far as it follows from the instructions that give it.

use super::{Bin, Body, Cvt, MemTy, Op, Value};

/// So many instructions are looked back.
const DEPTH: u32 = 6;

impl Body {
    /// The most that a value can be as an unsigned number; none where nothing is known. No step on the way wraps around.
    pub(crate) fn unsigned_max(&self, value: Value) -> Option<u64> {
        self.unsigned_max_within(value, DEPTH, None)
    }

    /// The same in blocks of so many threads at most, if that is known.
    pub(crate) fn unsigned_max_in_block(&self, value: Value, threads: Option<u64>) -> Option<u64> {
        self.unsigned_max_within(value, DEPTH, threads)
    }

    fn unsigned_max_within(&self, value: Value, depth: u32, threads: Option<u64>) -> Option<u64> {
        if let Some(bits) = self.constant(value) {
            return Some(bits);
        }
        let inst = self.def(value)?;
        let depth = depth.checked_sub(1)?;
        let mask = self.ty(value).mask();
        let of = |at: usize| self.unsigned_max_within(*inst.args.get(at)?, depth, threads);
        let constant = |at: usize| self.constant(*inst.args.get(at)?);
        let most = match &inst.op {
            Op::Bin(Bin::And | Bin::MinU) => match (of(0), of(1)) {
                (Some(a), Some(b)) => a.min(b),
                (a, b) => a.or(b)?,
            },
            Op::Bin(Bin::MaxU) => of(0)?.max(of(1)?),
            Op::Bin(Bin::Or | Bin::Xor) => {
                (of(0)? | of(1)?)
                    .checked_add(1)?
                    .checked_next_power_of_two()?
                    - 1
            }
            Op::Bin(Bin::Add) => of(0)?.checked_add(of(1)?)?,
            Op::Bin(Bin::Mul) => of(0)?.checked_mul(of(1)?)?,
            Op::Bin(Bin::Shl) => {
                let by = u32::try_from(constant(1)?).ok()?;
                of(0)?.checked_mul(1_u64.checked_shl(by)?)?
            }
            Op::Bin(Bin::ShrU) => of(0)
                .unwrap_or(mask)
                .checked_shr(u32::try_from(constant(1)?).ok()?)?,
            Op::Bin(Bin::DivU) => of(0).unwrap_or(mask).checked_div(constant(1)?)?,
            Op::Bin(Bin::RemU) => constant(1)?.checked_sub(1)?,
            Op::Phi(_) => {
                let (least, most) = self.counted.get(&value)?;
                u64::try_from(*most).ok().filter(|_| *least >= 0)?
            }
            Op::Cvt(Cvt::ZeroExtend) => of(0)?,
            Op::Cvt(Cvt::ZeroExtendFrom(bits)) => 1_u64.checked_shl(u32::from(*bits))? - 1,
            Op::Select => self
                .unsigned_max_within(inst.args[1], depth, threads)?
                .max(self.unsigned_max_within(inst.args[2], depth, threads)?),
            Op::Load(mem) if mem.count == 1 && mem.ty == MemTy::U8 => 0xff,
            Op::Load(mem) if mem.count == 1 && mem.ty == MemTy::U16 => 0xffff,
            Op::Intrinsic(call) => call.row().most(threads)?,
            Op::Asm(asm) => asm.register()?.most(threads)?,
            _ => return None,
        };
        (most <= mask).then_some(most)
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::build::Builder;
    use crate::ir::intrinsics::{Call, Id};
    use crate::ir::{Bin, Op, Ty};

    #[test]
    fn a_sum_has_room_until_it_may_wrap_around() {
        let mut builder = Builder::new();
        let registers = [Id::of("threadIdx.x"), Id::of("blockIdx.x")];
        let [thread, block] = registers.map(|id| {
            let op = Op::Intrinsic(Call::plain(id));
            builder.emit(op, &[Ty::B32], [])[0]
        });
        let number = |builder: &mut Builder, bits| builder.constant(Ty::B32, bits);
        let (eight, all) = (
            number(&mut builder, 8),
            number(&mut builder, u64::from(u32::MAX)),
        );
        let sum = builder.bin(Bin::Add, thread, eight);
        assert_eq!(builder.body.unsigned_max(sum), Some(1031));
        let wrapped = builder.bin(Bin::Add, thread, all);
        assert_eq!(builder.body.unsigned_max(wrapped), None);
        let line = builder.bin(Bin::Mul, block, eight);
        assert_eq!(builder.body.unsigned_max(line), None);
        let turned = builder.bin(Bin::Xor, thread, eight);
        assert_eq!(builder.body.unsigned_max(turned), Some(1023));
        let kept = builder.bin(Bin::And, block, eight);
        assert_eq!(builder.body.unsigned_max(kept), Some(8));
    }
}
