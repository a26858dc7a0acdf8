//! What the number in an instruction says of a bulk copy: which way it goes, to whom, and what it reduces by.

use crate::machine::pending::Reduction;
use crate::program::access::AtomicOp;
use crate::tensor_map::TensorElement;

/// What [`crate::machine::inst::Inst::imm`] says of a bulk copy; for tensors, the rank and the reduction are above.
pub(super) const FROM_GLOBAL: u64 = 0;
pub(super) const FROM_SHARED: u64 = 1;
pub(super) const TO_GLOBAL: u64 = 2;
/// It goes to several blocks of the cluster, whose bits are in the mbarrier's address.
pub(super) const SPREADS: u64 = 1 << 32;
pub(super) const BLOCKS_SHIFT: u32 = 32;

/// The reductions of tensor copies, as their number in [`Inst::imm`] counts them.
pub(super) const REDUCTIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

/// What a reducing copy does with elements of a type, if there is such a copy.
pub(super) fn reducing(name: &str, written: &str) -> Option<AtomicOp> {
    let is_wide = matches!(written, "f32" | "f64");
    AtomicOp::named(name, written).filter(|_| !is_wide || name == "add")
}

/// The reduction of a tensor copy with elements of a type.
pub(super) fn reduction(name: &str, element: TensorElement) -> Option<Reduction> {
    let written = match element {
        TensorElement::U32 => "u32",
        TensorElement::S32 => "s32",
        TensorElement::U64 => "u64",
        TensorElement::S64 => "s64",
        TensorElement::F16 => "f16",
        TensorElement::Bf16 => "bf16",
        TensorElement::F32 | TensorElement::F32Ftz => "f32",
        TensorElement::F64 => "f64",
        _ => return None,
    };
    Some(Reduction {
        op: reducing(name, written)?,
        bytes: element.bytes(),
    })
}
