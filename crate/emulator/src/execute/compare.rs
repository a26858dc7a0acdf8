//! PTX ISA chapter "Comparison and Selection Instructions": `setp`, `set`, `selp`, `slct`, `testp`.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::execute::drive::{both, computes, for_each_lane};
use crate::execute::half::{BF16, F16, to_single};
use crate::execute::lanes::{FileKind, Kind, Lane, Lanes, Mask, WARP, Word};
use crate::execute::logic;
use crate::execute::program::{Both, ComputeFn, Inst};
use crate::execute::rounding::flushed;
use crate::execute::row::Row;
use crate::parse::ast::{Operand, Type};
use crate::table::Lowering;

macro_rules! compares {
    ($name:ident, $ty:ty, $f:expr) => {
        const $name: Both<ComputeFn> = both!(
            ComputeFn,
            fn(lanes: &mut Lanes, inst: &Inst) crate::execute::drive::compare::<WIDE, $ty>(lanes, inst, $f)
        );
    };
    ($name:ident monotone, $ty:ty, $f:expr) => {
        const $name: Both<ComputeFn> = both!(
            ComputeFn,
            fn(lanes: &mut Lanes, inst: &Inst) crate::execute::drive::by::compare::<true, WIDE, $ty>(lanes, inst, $f)
        );
    };
}

compares!(EQ_16, u16, |a, b| a == b);
compares!(LT_U16, u16, |a, b| a < b);
compares!(LE_U16, u16, |a, b| a <= b);
compares!(LT_S16, i16, |a, b| a < b);
compares!(LE_S16, i16, |a, b| a <= b);
compares!(EQ_32, u32, |a, b| a == b);
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

fn ordered(format: crate::execute::half::Format, a: u16, b: u16) -> bool {
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

/// The comparison of an instruction, combined with a predicate if it says so, in a new predicate.
fn lower_comparison(
    lowerer: &mut Lowerer,
    matched: &Matched,
    results: [Option<crate::decode::ir::Reg>; 2],
) -> Result<(), LoadError> {
    let operands = matched.operands();
    let family = Family::of(matched.element("type"), matched.has("ftz"))
        .ok_or_else(|| lowerer.unsupported(matched))?;
    let (function, exchange, negate) = family
        .comparison(matched.element("cmp"))
        .ok_or_else(|| lowerer.unsupported(matched))?;
    let mut a = lowerer.source(matched, &operands[1], family.kind)?;
    let mut b = lowerer.source(matched, &operands[2], family.kind)?;
    if exchange {
        std::mem::swap(&mut a, &mut b);
    }
    let [p, q] = results;
    let combine = match matched.element("bool") {
        "and" => Some(logic::AND_PRED),
        "or" => Some(logic::OR_PRED),
        "xor" => Some(logic::XOR_PRED),
        _ => None,
    };
    lowerer.expect_operands(matched, if combine.is_some() { 4..=4 } else { 3..=3 })?;
    let Some(Lowering::Compute {
        function: combine, ..
    }) = combine
    else {
        for (result, negate) in [(p, negate), (q, !negate)] {
            if let Some(result) = result {
                lowerer.compute_parts(function, &[Some(result)], &[a, b], u64::from(negate));
            }
        }
        return Ok(());
    };
    let c = lowerer.predicate(matched, &operands[3])?;
    for (result, negate) in [(p, negate), (q, !negate)] {
        if let Some(result) = result {
            let test = lowerer.fresh(FileKind::Preds);
            lowerer.compute_parts(function, &[Some(test)], &[a, b], u64::from(negate));
            lowerer.compute_parts(combine, &[Some(result)], &[test.into(), c], 0);
        }
    }
    Ok(())
}

/// `setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, {!}c};`
pub(crate) fn lower_setp(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=4)?;
    let results = match &matched.operands()[0] {
        Operand::Pair(p, q) => [*p, *q],
        Operand::Name(p) => [*p, "_"],
        _ => return Err(lowerer.wrong(matched, "expected a predicate as the destination")),
    };
    // With two destinations, the first is not yet to be seen by what computes the second.
    let mut targets = [None, None];
    for (target, name) in targets.iter_mut().zip(results) {
        if name != "_" {
            *target = Some(lowerer.result(matched, &Operand::Name(name), Kind::Pred)?);
        }
    }
    if targets.iter().all(Option::is_some) {
        let fresh = [
            lowerer.fresh(FileKind::Preds),
            lowerer.fresh(FileKind::Preds),
        ];
        lower_comparison(lowerer, matched, fresh.map(Some))?;
        for (target, value) in targets.into_iter().flatten().zip(fresh) {
            lowerer.copy(target, value.into());
        }
        return Ok(());
    }
    lower_comparison(lowerer, matched, targets)
}

/// `set.cmp{.bool}{.ftz}.dtype.type d, a, b{, {!}c};` gives all ones or 1.0 where the comparison holds.
pub(crate) fn lower_set(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 3..=4)?;
    let d = lowerer.result(matched, &matched.operands()[0], Kind::Bits32)?;
    let test = lowerer.fresh(FileKind::Preds);
    lower_comparison(lowerer, matched, [Some(test), None])?;
    let holds = if matched.element_type("dtype") == Type::Float(32) {
        1f32.to_bits()
    } else {
        u32::MAX
    };
    let (holds, fails) = (
        lowerer.bits(FileKind::Words, u64::from(holds)),
        lowerer.bits(FileKind::Words, 0),
    );
    if let Lowering::Compute { function, .. } = SELP_32 {
        lowerer.compute_parts(function, &[Some(d)], &[holds, fails, test.into()], 0);
    }
    Ok(())
}

macro_rules! selects {
    ($name:ident, $ty:ty) => {
        pub(crate) const $name: Lowering = Lowering::Compute {
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
computes!(SLCT_32_F32, ternary, (u32, u32, f32) => u32, |a, b, c| if c >= 0.0 { a } else { b });
computes!(SLCT_64_F32, ternary, (u64, u64, f32) => u64, |a, b, c| if c >= 0.0 { a } else { b });

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
    let test = TESTS.iter().position(|test| matched.has(test)).unwrap_or(0);
    lowerer.compute_parts(
        if double { TESTP_F64 } else { TESTP_F32 },
        &[Some(d)],
        &[a],
        test as u64,
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
            4 => class == Normal,
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
