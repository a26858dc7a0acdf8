//! The words of the IR's text, each with what it stands for. `print` writes them, `read` reads them.

use super::{Bin, Cache, Cmp, Cvt, Effect, MemTy, Space, Ty, Un};

pub(super) const TYPES: &[(Ty, &str)] = &[
    (Ty::Pred, "pred"),
    (Ty::B16, "b16"),
    (Ty::B32, "b32"),
    (Ty::B64, "b64"),
    (Ty::F32, "f32"),
    (Ty::F64, "f64"),
];

pub(crate) const MEMORY_TYPES: &[(MemTy, &str)] = &[
    (MemTy::U8, "u8"),
    (MemTy::S8, "s8"),
    (MemTy::U16, "u16"),
    (MemTy::S16, "s16"),
    (MemTy::B32, "b32"),
    (MemTy::B64, "b64"),
    (MemTy::F32, "f32"),
    (MemTy::F64, "f64"),
];

pub(crate) const SPACES: &[(Space, &str)] = &[
    (Space::Generic, "generic"),
    (Space::Global, "global"),
    (Space::Shared, "shared"),
    (Space::Local, "local"),
    (Space::Constant, "constant"),
    (Space::Param, "param"),
];

pub(super) const CACHES: &[(Cache, &str)] = &[
    (Cache::Ca, "ca"),
    (Cache::Cg, "cg"),
    (Cache::Cs, "cs"),
    (Cache::Cv, "cv"),
    (Cache::Lu, "lu"),
    (Cache::Wb, "wb"),
    (Cache::Wt, "wt"),
];

pub(super) const EFFECTS: &[(Effect, &str)] = &[
    (Effect::Pure, "pure"),
    (Effect::Volatile, "volatile"),
    (Effect::Memory, "memory"),
];

pub(super) const BINS: &[(Bin, &str)] = &[
    (Bin::Add, "add"),
    (Bin::Sub, "sub"),
    (Bin::Mul, "mul"),
    (Bin::Div, "div"),
    (Bin::DivU, "div_u"),
    (Bin::DivS, "div_s"),
    (Bin::RemU, "rem_u"),
    (Bin::RemS, "rem_s"),
    (Bin::And, "and"),
    (Bin::Or, "or"),
    (Bin::Xor, "xor"),
    (Bin::Shl, "shl"),
    (Bin::ShrU, "shr_u"),
    (Bin::ShrS, "shr_s"),
    (Bin::MinU, "min_u"),
    (Bin::MinS, "min_s"),
    (Bin::MaxU, "max_u"),
    (Bin::MaxS, "max_s"),
    (Bin::Min, "min"),
    (Bin::Max, "max"),
];

pub(super) const UNS: &[(Un, &str)] = &[
    (Un::Neg, "neg"),
    (Un::Not, "not"),
    (Un::Abs, "abs"),
    (Un::Sqrt, "sqrt"),
];

pub(super) const CMPS: &[(Cmp, &str)] = &[
    (Cmp::Eq, "eq"),
    (Cmp::Ne, "ne"),
    (Cmp::LtU, "lt_u"),
    (Cmp::LeU, "le_u"),
    (Cmp::GtU, "gt_u"),
    (Cmp::GeU, "ge_u"),
    (Cmp::LtS, "lt_s"),
    (Cmp::LeS, "le_s"),
    (Cmp::GtS, "gt_s"),
    (Cmp::GeS, "ge_s"),
    (Cmp::Lt, "lt"),
    (Cmp::Le, "le"),
    (Cmp::Gt, "gt"),
    (Cmp::Ge, "ge"),
];

pub(super) const CVTS: &[(Cvt, &str)] = &[
    (Cvt::ZeroExtend, "zero_extend"),
    (Cvt::SignExtend, "sign_extend"),
    (Cvt::Truncate, "truncate"),
    (Cvt::ZeroExtendFrom(8), "zero_extend_8"),
    (Cvt::ZeroExtendFrom(16), "zero_extend_16"),
    (Cvt::SignExtendFrom(8), "sign_extend_8"),
    (Cvt::SignExtendFrom(16), "sign_extend_16"),
    (Cvt::Bits, "bits"),
    (Cvt::UnsignedToFloat, "unsigned_to_float"),
    (Cvt::SignedToFloat, "signed_to_float"),
    (Cvt::FloatToUnsigned, "float_to_unsigned"),
    (Cvt::FloatToSigned, "float_to_signed"),
    (Cvt::Float, "float_to_float"),
];

/// The word for something.
pub(crate) fn word<T: PartialEq>(words: &[(T, &'static str)], of: &T) -> &'static str {
    let found = words.iter().find(|(known, _)| known == of);
    found.map_or("unknown", |(_, word)| word)
}

/// What a word stands for.
pub(crate) fn named<T: Copy>(words: &[(T, &str)], word: &str) -> Option<T> {
    let found = words.iter().find(|(_, known)| *known == word);
    found.map(|(of, _)| *of)
}
