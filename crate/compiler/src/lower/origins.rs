//! What the source says of the places that it names: by what their addresses can be divided, and which members they are.

use crate::ir::Origin;
use crate::syntax::{Expr, ExprKind};
use crate::types::{Field, StructId};

/// Of a member, where the struct's address is a multiple of `whole`.
pub(super) fn member_origin(of: StructId, whole: u64, field: &Field) -> Origin {
    let fits = field.offset < 1 << Origin::PLACE_BITS && of.0 < (1 << 20) - 1;
    let number = (of.0 + 1) << Origin::PLACE_BITS | field.offset as u32;
    Origin {
        // An array's elements are no members, but for what they are made of.
        member: if fits { number } else { 0 },
        ..origin_within(whole, field.offset)
    }
}

/// Of what lies so many bytes behind an address that is a multiple of `whole`.
pub(super) fn origin_within(whole: u64, bytes: u64) -> Origin {
    let most = whole.clamp(1, 128) | bytes;
    Origin {
        align: 1 << most.trailing_zeros().min(7),
        member: 0,
    }
}

/// Whether an index is a number in the source itself, not one that a variable has.
pub(super) fn is_counted_out(index: &Expr) -> bool {
    match &index.kind {
        ExprKind::Integer(..) => true,
        ExprKind::Binary(_, a, b) => is_counted_out(a) && is_counted_out(b),
        _ => false,
    }
}
