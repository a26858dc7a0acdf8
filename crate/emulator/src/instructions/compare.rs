//! PTX ISA chapter "Comparison and Selection Instructions": `setp`, `set`, `selp`, `slct`, `testp`.

use crate::decode::ir::{Carries, Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::{half, logic};
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::{Lane, Lanes, Word, for_each_lane};
use crate::machine::row::Row;
use crate::operations::basic::{self, EQ_32};
use crate::operations::drive::{Compute, both, computes};
use crate::operations::half::to_single;
use crate::operations::rounding::flushed;
use crate::parse::ast::Operand;
use crate::program::floats::{BF16, F16, Modes};
use crate::program::kinds::{FileKind, Kind, Mask, WARP};

macro_rules! compares {
    ($name:ident, $ty:ty, $f:expr) => {
        pub(crate) const $name: Both<ComputeFn> = both!(
            ComputeFn,
            fn(lanes: &mut Lanes, inst: &Inst) crate::operations::drive::compare::<FORM, $ty>(lanes, inst, $f)
        );
    };
    ($name:ident monotone, $ty:ty, $f:expr) => {
        const $name: Both<ComputeFn> = both!(
            ComputeFn,
            fn(lanes: &mut Lanes, inst: &Inst) crate::operations::drive::by::compare::<true, FORM, $ty>(lanes, inst, $f)
        );
    };
}

compares!(EQ_16, u16, |a, b| a == b);
compares!(LT_U16, u16, |a, b| a < b);
compares!(LE_U16, u16, |a, b| a <= b);
compares!(LT_S16, i16, |a, b| a < b);
compares!(LE_S16, i16, |a, b| a <= b);
compares!(LT_U32 monotone, u32, |a, b| a < b);
compares!(LE_U32 monotone, u32, |a, b| a <= b);
compares!(LT_S32 monotone, i32, |a, b| a < b);
compares!(LE_S32 monotone, i32, |a, b| a <= b);
compares!(EQ_64, u64, |a, b| a == b);
compares!(LT_U64 monotone, u64, |a, b| a < b);
compares!(LE_U64 monotone, u64, |a, b| a <= b);
compares!(LT_S64 monotone, i64, |a, b| a < b);
compares!(LE_S64 monotone, i64, |a, b| a <= b);

compares!(EQ_F32, f32, |a, b| a == b);
compares!(LT_F32, f32, |a, b| a < b);
compares!(LE_F32, f32, |a, b| a <= b);
compares!(NE_F32, f32, |a, b| (a < b) | (a > b));
compares!(NUM_F32, f32, |a, b| !a.is_nan() && !b.is_nan());
compares!(EQ_FTZ_F32, f32, |a, b| flushed(a) == flushed(b));
compares!(LT_FTZ_F32, f32, |a, b| flushed(a) < flushed(b));
compares!(LE_FTZ_F32, f32, |a, b| flushed(a) <= flushed(b));
compares!(NE_FTZ_F32, f32, |a, b| flushed(a) < flushed(b)
    || flushed(a) > flushed(b));
compares!(EQ_F64, f64, |a, b| a == b);
compares!(LT_F64, f64, |a, b| a < b);
compares!(LE_F64, f64, |a, b| a <= b);
compares!(NE_F64, f64, |a, b| (a < b) | (a > b));
compares!(NUM_F64, f64, |a, b| !a.is_nan() && !b.is_nan());
compares!(EQ_F16, u16, |a, b| to_single(F16, a) == to_single(F16, b));
compares!(LT_F16, u16, |a, b| to_single(F16, a) < to_single(F16, b));
compares!(LE_F16, u16, |a, b| to_single(F16, a) <= to_single(F16, b));
compares!(NE_F16, u16, |a, b| !(to_single(F16, a)
    == to_single(F16, b))
    && ordered(F16, a, b));
compares!(NUM_F16, u16, |a, b| ordered(F16, a, b));
compares!(EQ_BF16, u16, |a, b| to_single(BF16, a)
    == to_single(BF16, b));
compares!(LT_BF16, u16, |a, b| to_single(BF16, a) < to_single(BF16, b));
compares!(LE_BF16, u16, |a, b| to_single(BF16, a)
    <= to_single(BF16, b));
compares!(NE_BF16, u16, |a, b| !(to_single(BF16, a)
    == to_single(BF16, b))
    && ordered(BF16, a, b));
compares!(NUM_BF16, u16, |a, b| ordered(BF16, a, b));

fn ordered(format: crate::program::floats::Format, a: u16, b: u16) -> bool {
    !to_single(format, a).is_nan() && !to_single(format, b).is_nan()
}

/// The comparisons of one type, from which all others follow.
struct Family {
    equal: Both<ComputeFn>,
    less: Both<ComputeFn>,
    less_equal: Both<ComputeFn>,
    /// Different and neither NaN; for integers the opposite of `equal` will do.
    ordered_different: Option<Both<ComputeFn>>,
    ordered: Option<Both<ComputeFn>>,
    kind: Kind,
}

impl Family {
    const fn integer(
        equal: Both<ComputeFn>,
        less: Both<ComputeFn>,
        less_equal: Both<ComputeFn>,
        kind: Kind,
    ) -> Self {
        Self {
            equal,
            less,
            less_equal,
            ordered_different: None,
            ordered: None,
            kind,
        }
    }

    const fn float(
        [equal, less, less_equal, different, ordered]: [Both<ComputeFn>; 5],
        kind: Kind,
    ) -> Self {
        Self {
            equal,
            less,
            less_equal,
            ordered_different: Some(different),
            ordered: Some(ordered),
            kind,
        }
    }

    fn of(name: &str, flush: bool) -> Option<Self> {
        Some(match name {
            "b16" | "u16" => Self::integer(EQ_16, LT_U16, LE_U16, Kind::Bits16),
            "s16" => Self::integer(EQ_16, LT_S16, LE_S16, Kind::Bits16),
            "b32" | "u32" => Self::integer(EQ_32, LT_U32, LE_U32, Kind::Bits32),
            "s32" => Self::integer(EQ_32, LT_S32, LE_S32, Kind::Bits32),
            "b64" | "u64" => Self::integer(EQ_64, LT_U64, LE_U64, Kind::Bits64),
            "s64" => Self::integer(EQ_64, LT_S64, LE_S64, Kind::Bits64),
            "f32" if flush => Self::float(
                [EQ_FTZ_F32, LT_FTZ_F32, LE_FTZ_F32, NE_FTZ_F32, NUM_F32],
                Kind::Single,
            ),
            "f32" => Self::float([EQ_F32, LT_F32, LE_F32, NE_F32, NUM_F32], Kind::Single),
            "f64" => Self::float([EQ_F64, LT_F64, LE_F64, NE_F64, NUM_F64], Kind::Double),
            "f16" => Self::float([EQ_F16, LT_F16, LE_F16, NE_F16, NUM_F16], Kind::Bits16),
            "bf16" => Self::float([EQ_BF16, LT_BF16, LE_BF16, NE_BF16, NUM_BF16], Kind::Bits16),
            _ => return None,
        })
    }

    /// The function for a comparison, whether to exchange its operands, and whether to negate its result.
    fn comparison(&self, name: &str) -> Option<(Both<ComputeFn>, bool, bool)> {
        let is_float = self.ordered.is_some();
        Some(match name {
            "eq" => (self.equal, false, false),
            "ne" => match self.ordered_different {
                Some(different) => (different, false, false),
                None => (self.equal, false, true),
            },
            "lt" | "lo" => (self.less, false, false),
            "le" | "ls" => (self.less_equal, false, false),
            "gt" | "hi" => (self.less, true, false),
            "ge" | "hs" => (self.less_equal, true, false),
            // The unordered ones also hold when an operand is NaN: opposites of the ordered ones.
            "equ" if is_float => (self.ordered_different?, false, true),
            "neu" if is_float => (self.equal, false, true),
            "ltu" if is_float => (self.less_equal, true, true),
            "leu" if is_float => (self.less, true, true),
            "gtu" if is_float => (self.less_equal, false, true),
            "geu" if is_float => (self.less, false, true),
            "num" => (self.ordered?, false, false),
            "nan" => (self.ordered?, false, true),
            _ => return None,
        })
    }
}

/// A comparison as written, with its operands.
struct Comparison {
    function: Both<ComputeFn>,
    negate: bool,
    a: Value,
    b: Value,
    /// What to combine the result with.
    combine: Option<(Both<ComputeFn>, Carries, Value)>,
}

impl Comparison {
    /// Sets a predicate to the comparison, or to its opposite; either is combined with the predicate operand.
    fn test(&self, lowerer: &mut Lowerer, result: Reg, opposite: bool) {
        let imm = u64::from(self.negate != opposite);
        let Some((combine, carries, c)) = self.combine else {
            return lowerer.compute_parts(self.function, &[Some(result)], &[self.a, self.b], imm);
        };
        let test = lowerer.fresh(FileKind::Preds);
        lowerer.compute_parts(self.function, &[Some(test)], &[self.a, self.b], imm);
        lowerer.compute_parts(combine, &[Some(result)], &[test.into(), c], 0);
        lowerer.carries(carries);
    }
}

/// The comparisons of an instruction: one, or those of the lower and the upper halves.
fn comparisons(lowerer: &mut Lowerer, matched: &Matched) -> Result<Vec<Comparison>, LoadError> {
    let operands = matched.operands();
    let ty = matched.element("type");
    let family = Family::of(ty.trim_end_matches("x2"), matched.has("ftz"));
    let Some(family) = family else {
        return Err(lowerer.unsupported(matched));
    };
    let Some((function, exchange, negate)) = family.comparison(matched.element("cmp")) else {
        return Err(lowerer.unsupported(matched));
    };
    let combine = match matched.element("bool") {
        "and" => Some((logic::AND_PRED, Carries::Both)),
        "or" => Some((logic::OR_PRED, Carries::Any)),
        "xor" => Some((logic::XOR_PRED, Carries::Nothing)),
        _ => None,
    };
    lowerer.expect_operands(matched, if combine.is_some() { 4..=4 } else { 3..=3 })?;
    let combine = match combine {
        Some((combine, carries)) => {
            let c = lowerer.predicate(matched, &operands[3])?;
            Some((combine.function, carries, c))
        }
        None => None,
    };
    let kind = if ty.ends_with("x2") {
        Kind::Bits32
    } else {
        family.kind
    };
    let mut a = lowerer.source(matched, &operands[1], kind)?;
    let mut b = lowerer.source(matched, &operands[2], kind)?;
    if exchange {
        std::mem::swap(&mut a, &mut b);
    }
    if matched.has("ftz") && ty.starts_with("f16") {
        let flush = if ty.ends_with("x2") {
            half::FLUSH_F16X2
        } else {
            half::FLUSH_F16
        };
        (a, b) = (derived(lowerer, flush, a), derived(lowerer, flush, b));
    }
    let comparison = |a, b| Comparison {
        function,
        negate,
        a,
        b,
        combine,
    };
    if !ty.ends_with("x2") {
        return Ok(vec![comparison(a, b)]);
    }
    let mut both = Vec::new();
    for part in [basic::LOW_16, basic::HIGH_16] {
        both.push(comparison(
            derived(lowerer, part, a),
            derived(lowerer, part, b),
        ));
    }
    Ok(both)
}

/// A word computed from another.
fn derived(lowerer: &mut Lowerer, step: Compute, value: Value) -> Value {
    let d = lowerer.fresh(FileKind::Words);
    lowerer.compute_parts(step.function, &[Some(d)], &[value], 0);
    d.into()
}

/// `setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, {!}c};` With halves in a word, `q` is the upper one's.
pub(crate) fn lower_setp(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=4)?;
    let results = match &matched.operands()[0] {
        Operand::Pair(p, q) => [*p, *q],
        Operand::Name(p) => [*p, "_"],
        _ => return Err(lowerer.wrong(matched, "expected a predicate as the destination")),
    };
    let comparisons = comparisons(lowerer, matched)?;
    // With two destinations, the first is not yet to be seen by what computes the second.
    let (mut targets, mut values) = (Vec::new(), Vec::new());
    for (at, name) in results.into_iter().enumerate() {
        if name == "_" {
            continue;
        }
        let target = lowerer.result(matched, &Operand::Name(name), Kind::Pred)?;
        let value = if results.contains(&"_") {
            target
        } else {
            lowerer.fresh(FileKind::Preds)
        };
        match comparisons.as_slice() {
            [both] => both.test(lowerer, value, at == 1),
            halves => halves[at].test(lowerer, value, false),
        }
        targets.push(target);
        values.push(value);
    }
    for (target, value) in targets.into_iter().zip(values) {
        if target != value {
            lowerer.copy(target, value.into());
        }
    }
    Ok(())
}

/// `set.cmp{.bool}{.ftz}.dtype.type d, a, b{, {!}c};` gives all ones or 1.0 where the comparison holds.
pub(crate) fn lower_set(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=4)?;
    let packed = matched.element("type").ends_with("x2");
    let (kind, holds) = match matched.element("dtype") {
        "u32" | "s32" if packed => (Kind::Bits32, 0xffff),
        "f32" => (Kind::Bits32, 1f32.to_bits()),
        "f16" | "f16x2" => (Kind::Bits16, 0x3c00),
        "bf16" | "bf16x2" => (Kind::Bits16, 0x3f80),
        "u16" | "s16" => (Kind::Bits16, 0xffff),
        "u32" | "s32" => (Kind::Bits32, u32::MAX),
        _ => return Err(lowerer.unsupported(matched)),
    };
    let whole = lowerer.element_type(matched, "dtype")?.bits() == 32;
    if (packed && !whole) || (!packed && matched.element("dtype").ends_with("x2")) {
        return Err(lowerer.wrong(matched, "both types must be packed, or neither"));
    }
    let kind = if packed { Kind::Bits32 } else { kind };
    let comparisons = comparisons(lowerer, matched)?;
    let d = lowerer.result(matched, &matched.operands()[0], kind)?;
    let holds = lowerer.bits(FileKind::Words, u64::from(holds));
    let fails = lowerer.bits(FileKind::Words, 0);
    let mut values: Vec<Value> = Vec::new();
    for comparison in &comparisons {
        let test = lowerer.fresh(FileKind::Preds);
        comparison.test(lowerer, test, false);
        let value = lowerer.fresh(FileKind::Words);
        let sources = [holds, fails, test.into()];
        lowerer.compute_parts(SELP_32.function, &[Some(value)], &sources, 0);
        values.push(value.into());
    }
    match values.as_slice() {
        [value] => lowerer.copy(d, *value),
        halves => lowerer.compute_parts(basic::PACK_32.function, &[Some(d)], halves, 0),
    }
    Ok(())
}

macro_rules! selects {
    ($name:ident, $ty:ty) => {
        pub(crate) const $name: Compute = Compute {
            function: both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) select::<$ty>(lanes, inst)),
            result: <$ty as Lane>::KIND,
            sources: &[<$ty as Lane>::KIND, <$ty as Lane>::KIND, Kind::Pred],
        };
    };
}

selects!(SELP_16, u16);
selects!(SELP_32, u32);
selects!(SELP_64, u64);
selects!(SELP_F32, f32);
selects!(SELP_F64, f64);

/// `d = s[2] ? s[0] : s[1]`
#[inline(always)]
fn select<T: Lane>(lanes: &mut Lanes, inst: &Inst) {
    let chosen = lanes.preds[usize::from(inst.s[2])];
    if lanes.whole
        && let Some(row) = select_row::<T>(lanes, inst, &chosen)
    {
        return T::Bits::file_mut(lanes).set_row(inst.d[0], row);
    }
    let mut out = T::Bits::file_mut(lanes).take(inst.d[0]);
    let a = T::Bits::file(lanes).source(inst.s[0]);
    let b = T::Bits::file(lanes).source(inst.s[1]);
    for warp in lanes.active.first..lanes.active.last {
        let at = warp * WARP;
        let (mask, chosen) = (lanes.active.mask[warp], chosen[warp]);
        let (out, a, b) = (
            &mut out[at..at + WARP],
            &a[at..at + WARP],
            &b[at..at + WARP],
        );
        for lane in 0..WARP {
            let value = if chosen & (1 << lane) != 0 {
                a[lane]
            } else {
                b[lane]
            };
            out[lane] = if mask & (1 << lane) != 0 {
                value
            } else {
                out[lane]
            };
        }
    }
    T::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// The choice between two rows with the same steps, or of one row by all lanes.
#[inline(always)]
fn select_row<T: Lane>(lanes: &Lanes, inst: &Inst, chosen: &Mask) -> Option<Row<T::Bits>> {
    let file = T::Bits::file(lanes);
    let (mut all, mut none, mut by_warps) = (true, true, true);
    for (live, chosen) in lanes.live.iter().zip(chosen) {
        all &= live & !chosen == 0;
        none &= live & chosen == 0;
        by_warps &= live & !chosen == 0 || live & chosen == 0;
    }
    if all {
        return file.row(inst.s[0]).copied();
    }
    if none {
        return file.row(inst.s[1]).copied();
    }
    let (a, b) = (file.row(inst.s[0])?, file.row(inst.s[1])?);
    if !by_warps || a.step != b.step {
        return None;
    }
    let mut row = *b;
    for warp in 0..row.base.len() {
        if lanes.live[warp] & chosen[warp] != 0 {
            row.base[warp] = a.base[warp];
        }
    }
    Some(row)
}

computes!(SLCT_32_S32, ternary, (u32, u32, i32) => u32, |a, b, c| if c >= 0 { a } else { b });
computes!(SLCT_64_S32, ternary, (u64, u64, i32) => u64, |a, b, c| if c >= 0 { a } else { b });
// With `.ftz` a negative subnormal is a zero.
computes!(SLCT_32_F32, ternary_modes, (u32, u32, f32) => u32, |modes: Modes, a, b, c| {
    if modes.input(c) >= 0.0 { a } else { b }
});

computes!(SLCT_64_F32, ternary_modes, (u64, u64, f32) => u64, |modes: Modes, a, b, c| {
    if modes.input(c) >= 0.0 { a } else { b }
});

/// `testp.test.type p, a;`
pub(crate) fn lower_testp(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=2)?;
    let operands = matched.operands();
    let double = matched.has("f64");
    let d = lowerer.result(matched, &operands[0], Kind::Pred)?;
    let a = lowerer.source(
        matched,
        &operands[1],
        if double { Kind::Double } else { Kind::Single },
    )?;
    let test = lowerer.choice(matched, &TESTS)?;
    lowerer.compute_parts(
        if double { TESTP_F64 } else { TESTP_F32 },
        &[Some(d)],
        &[a],
        test,
    );
    Ok(())
}

const TESTS: [&str; 6] = [
    "finite",
    "infinite",
    "number",
    "notanumber",
    "normal",
    "subnormal",
];
const TESTP_F32: Both<ComputeFn> = both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    test::<f32>(lanes, inst, |value| (value.classify(), value))
});

const TESTP_F64: Both<ComputeFn> = both!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    test::<f64>(lanes, inst, |value| (value.classify(), value))
});

#[inline(always)]
fn test<T: Lane>(lanes: &mut Lanes, inst: &Inst, class: impl Fn(T) -> (std::num::FpCategory, T)) {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    let mut out = lanes.preds[usize::from(inst.d[0])];
    let a = T::Bits::file(lanes).source(inst.s[0]);
    for_each_lane(&lanes.active, |lane| {
        let class = class(T::from_bits(a[lane])).0;
        let holds = match inst.imm {
            0 => matches!(class, Normal | Subnormal | Zero),
            1 => class == Infinite,
            2 => class != Nan,
            3 => class == Nan,
            // PTX ISA, `testp`: zeros count as normal.
            4 => matches!(class, Normal | Zero),
            _ => class == Subnormal,
        };
        let bit = 1 << (lane % WARP);
        if holds {
            out[lane / WARP] |= bit
        } else {
            out[lane / WARP] &= !bit
        }
    });
    lanes.preds[usize::from(inst.d[0])] = out;
}
