//! Shuffles of a warp's numbers.

use super::Lower;
use super::overloads::Given;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Bin, Cvt, Ty, Value};
use crate::source::Span;
use crate::syntax::Scalar;
use crate::types;

impl Lower<'_> {
    pub(super) fn shuffle(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        self.check_count_of(name, given, 3..=4, span)?;
        let scalar = self.scalar_of_given(&given[1])?;
        let scalar = if scalar == Scalar::Bool {
            Scalar::Int
        } else {
            types::promoted(scalar)
        };
        let mask = self.number(&given[0], Scalar::UInt)?;
        let value = self.number(&given[1], scalar)?;
        let lane = self.number(&given[2], Scalar::UInt)?;
        let width = match given.get(3) {
            Some(width) => self.number(width, Scalar::UInt)?,
            None => self.builder.u32(32),
        };
        let (mode, clamp) = match name {
            "__shfl_sync" => ("idx", 0x1f),
            "__shfl_up_sync" => ("up", 0),
            "__shfl_down_sync" => ("down", 0x1f),
            _ => ("bfly", 0x1f),
        };
        // Segment and clamp, as the ISA packs them.
        let whole = self.builder.u32(32);
        let rest = self.builder.bin(Bin::Sub, whole, width);
        let eight = self.builder.u32(8);
        let segment = self.builder.bin(Bin::Shl, rest, eight);
        let clamp = self.builder.u32(clamp);
        let packed = self.builder.bin(Bin::Or, segment, clamp);
        let register = self.builder.body.ty(value);
        let call = Call::new(const { Id::of("shfl.sync") }, [mode.to_string()]);
        let one = |lower: &mut Self, part: Value| {
            lower.intrinsic(call.clone(), &[Ty::B32], vec![part, lane, packed, mask])[0]
        };
        let result = if register.bits() == 64 {
            let bits = self.builder.cvt(Cvt::Bits, Ty::B64, value);
            let low = self.builder.cvt(Cvt::Truncate, Ty::B32, bits);
            let shift = self.builder.u64(32);
            let high = self.builder.bin(Bin::ShrU, bits, shift);
            let high = self.builder.cvt(Cvt::Truncate, Ty::B32, high);
            let (low, high) = (one(self, low), one(self, high));
            let low = self.builder.cvt(Cvt::ZeroExtend, Ty::B64, low);
            let high = self.builder.cvt(Cvt::ZeroExtend, Ty::B64, high);
            let high = self.builder.bin(Bin::Shl, high, shift);
            let both = self.builder.bin(Bin::Or, high, low);
            self.builder.cvt(Cvt::Bits, register, both)
        } else {
            let bits = self.builder.cvt(Cvt::Bits, Ty::B32, value);
            let moved = one(self, bits);
            self.builder.cvt(Cvt::Bits, register, moved)
        };
        Ok(Typed::scalar(scalar, result))
    }
}
