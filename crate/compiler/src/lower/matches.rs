//! `__match_any_sync` and `__match_all_sync`, which take numbers of 32 and of 64 bits.

use super::Lower;
use super::overloads::Given;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Cvt, Ty};
use crate::source::Span;
use crate::syntax::Scalar;
use crate::types::{self, Type};

impl Lower<'_> {
    pub(super) fn matched(&mut self, name: &str, given: &[Given], span: Span) -> Res<Typed> {
        let is_all = name == "__match_all_sync";
        let count = if is_all { 3 } else { 2 };
        self.check_count_of(name, given, count..=count, span)?;
        let scalar = types::promoted(self.scalar_of_given(&given[1])?);
        let mask = self.number(&given[0], Scalar::UInt)?;
        let value = self.number(&given[1], scalar)?;
        let bits = self.builder.body.ty(value).bits();
        let register = if bits == 64 { Ty::B64 } else { Ty::B32 };
        let value = self.builder.cvt(Cvt::Bits, register, value);
        if !is_all {
            let call = Call::new(const { Id::of("match.any") }, [format!("b{bits}")]);
            let found = self.intrinsic(call, &[Ty::B32], vec![mask, value])[0];
            return Ok(Typed::scalar(Scalar::UInt, found));
        }
        let (_, address) = self.pointer(&given[2])?;
        let call = Call::new(const { Id::of("match.all") }, [format!("b{bits}")]);
        let types = [Ty::B32, Ty::B32];
        let found = self.intrinsic(call, &types, vec![mask, value]);
        let is = Typed::scalar(Scalar::Int, found[1]);
        self.store(&Type::scalar(Scalar::Int), address, &is, span)?;
        Ok(Typed::scalar(Scalar::UInt, found[0]))
    }
}
