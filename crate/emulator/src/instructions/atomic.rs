//! PTX ISA: `atom` and `red`, how they are decoded. What they do is in `operations::atomic`.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::moves::vector_parts;
use crate::operations::atomic::ATOMIC;
use crate::parse::ast::Type;
use crate::program::access::{AccessShape, Assembled, AtomicOp, Strength, Wanted};
use crate::program::floats::{BF16, F16};
use crate::program::kinds::{FileKind, Kind};
use crate::report::Space;

impl AtomicOp {
    /// The operation that a name and a type mean, if there is one.
    pub(crate) fn named(name: &str, written: &str) -> Option<Self> {
        let ty = Type::named(written)?;
        let half = match written {
            "f16" | "f16x2" => Some(F16),
            "bf16" | "bf16x2" => Some(BF16),
            _ => None,
        };
        if let Some(format) = half {
            return match name {
                "add" => Some(AtomicOp::AddHalf(format)),
                "min" => Some(AtomicOp::MinHalf(format)),
                "max" => Some(AtomicOp::MaxHalf(format)),
                _ => None,
            };
        }
        Some(match (name, ty) {
            ("cas", _) => AtomicOp::CompareAndSwap,
            (_, Type::Bits(16)) => return None,
            ("add", Type::Float(32)) => AtomicOp::AddSingle,
            ("add", Type::Float(64)) => AtomicOp::AddDouble,
            ("add", Type::Unsigned(_) | Type::Signed(_)) => AtomicOp::Add,
            ("min", Type::Unsigned(_)) => AtomicOp::MinUnsigned,
            ("min", Type::Signed(_)) => AtomicOp::MinSigned,
            ("max", Type::Unsigned(_)) => AtomicOp::MaxUnsigned,
            ("max", Type::Signed(_)) => AtomicOp::MaxSigned,
            ("and", _) => AtomicOp::And,
            ("or", _) => AtomicOp::Or,
            ("xor", _) => AtomicOp::Xor,
            ("exch", _) => AtomicOp::Exchange,
            ("inc", Type::Unsigned(32)) => AtomicOp::Increment,
            ("dec", Type::Unsigned(32)) => AtomicOp::Decrement,
            _ => return None,
        })
    }
}

/// `atom{.sem}{.scope}{.space}.op.type d, [a], b{, c};` and `red`, which has no `d`.
pub(crate) fn lower(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let is_red = matched.opcode() == "red";
    let operands = matched.operands();
    let ty = lowerer.element_type(matched, "type")?;
    let Some(op) = AtomicOp::named(matched.element("op"), matched.element("type")) else {
        return Err(lowerer.unsupported(matched));
    };
    let first = usize::from(!is_red);
    let values = if op == AtomicOp::CompareAndSwap { 2 } else { 1 };
    // A cache-policy operand may follow.
    let policy = usize::from(matched.has("L2::cache_hint"));
    let expected = first + 1 + values;
    lowerer.expect_operands(matched, expected + policy..=expected + policy)?;
    let (space, base) = lowerer.reached(matched)?;
    let kind = match ty {
        Type::Float(32) => Kind::Single,
        Type::Float(64) => Kind::Double,
        ty if ty.bits() == 64 => Kind::Bits64,
        ty if ty.bits() == 32 => Kind::Bits32,
        ty if ty.bits() == 16 => Kind::Bits16,
        _ => return Err(lowerer.unsupported(matched)),
    };
    let (address, offset) = lowerer.address(matched, &operands[first], lowerer.space(matched)?)?;
    let offset = offset.wrapping_add(base);
    let mut sources = vec![address];
    for operand in &operands[first + 1..expected] {
        for part in vector_parts(lowerer, matched, operand)? {
            sources.push(lowerer.source(matched, part, kind)?);
        }
    }
    let sink = is_red || lowerer.is_sink(&operands[0]);
    let mut results = Vec::new();
    if !sink {
        for part in vector_parts(lowerer, matched, &operands[0])? {
            results.push(Some(lowerer.result(matched, part, kind)?));
        }
    }
    let count = (sources.len() - values) as u32;
    let element = ty.bits() / 8;
    // A generic one is never assembled to a reduction.
    let is_reduction = is_red && space.is_some();
    let site = lowerer.site(space, is_reduction, true, element * count);
    let global = !matches!(space, Some(Space::Shared));
    if global && (!sink || op.depends_on_order() || element == 8) {
        lowerer.order_matters();
    }
    let shape = AccessShape {
        wanted: Wanted::ALL,
        site,
        space,
        element,
        count,
        signed: false,
        long: kind.file() == FileKind::Longs,
        uncounted: false,
        atomic: Some(op),
        assembled: Assembled::EachLane,
        strength: Strength::Weak,
        is_narrow: false,
        is_constant: false,
        is_float: false,
    };
    lowerer.access(ATOMIC, &results, &sources, offset, shape);
    lowerer.strengthen_as(matched);
    Ok(())
}
