//! Comparisons of widened numbers with constants that the narrow type has too: of the narrow numbers, as in LLVM.

use super::build::Builder;
use super::{Cmp, Cvt, Op, Ty, Value};

impl Builder {
    /// `i < 8ull` for an `int i` is `(unsigned)i < 8`.
    pub(super) fn fold_widened(&mut self, cmp: Cmp, a: Value, y: u64) -> Option<Value> {
        let inst = self.body.def(a)?;
        let (Op::Cvt(cvt @ (Cvt::SignExtend | Cvt::ZeroExtend)), [narrow]) =
            (&inst.op, &inst.args[..])
        else {
            return None;
        };
        let (narrow, cvt) = (*narrow, *cvt);
        if (self.body.ty(narrow), self.body.ty(a)) != (Ty::B32, Ty::B64) {
            return None;
        }
        let cut = y & Ty::B32.mask();
        let again = match cvt {
            Cvt::SignExtend => Ty::B32.signed(cut) as u64,
            _ => cut,
        };
        if again != y {
            return None;
        }
        let cmp = match (cvt, cmp) {
            (Cvt::ZeroExtend, Cmp::LtS) => Cmp::LtU,
            (Cvt::ZeroExtend, Cmp::LeS) => Cmp::LeU,
            (Cvt::ZeroExtend, Cmp::GtS) => Cmp::GtU,
            (Cvt::ZeroExtend, Cmp::GeS) => Cmp::GeU,
            _ => cmp,
        };
        let bound = self.constant(Ty::B32, cut);
        Some(self.cmp(cmp, narrow, bound))
    }
}
