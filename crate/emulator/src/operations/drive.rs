//! The loops over lanes that all computing instructions share, and the macros that name an instruction's function.
//!
//! Each loop exists in several forms: for whole warps at once, which the compiler turns into vector instructions, and
//! one lane after another, for machines without them and for functions that vector instructions cannot compute anyway.
//! Where the sources are rows and the result is one too, no loop runs at all.

use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::{Column, Lane, Lanes, Word, for_each_lane};
use crate::machine::row;
use crate::machine::row::Row;
use crate::program::floats::Modes;
use crate::program::kinds::{GROUP_WARPS, Kind, WARP};

/// How an instruction's function goes over the lanes of a group.
pub(crate) type Form = u8;

/// One lane after another.
pub(crate) const LANES: Form = 0;
/// By rows if the sources are some, else one lane after another.
pub(crate) const ROWS: Form = 1;
/// By rows if the sources are some, else whole warps at once.
pub(crate) const WHOLE: Form = 2;
/// As [`WHOLE`], for a function that reads a table.
pub(crate) const TABLE: Form = 3;
/// Whole warps at once, but in WebAssembly one lane after another, compiled once for all instructions of some types.
pub(crate) const SMALL: Form = if cfg!(target_arch = "wasm32") {
    LANES
} else {
    WHOLE
};

/// An instruction with one result, computed from its sources lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Compute {
    pub(crate) function: Both<ComputeFn>,
    pub(crate) result: Kind,
    pub(crate) sources: &'static [Kind],
}

/// `d = f(a)` in every active lane.
#[inline(always)]
pub(crate) fn unary<const FORM: Form, A: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A) -> D,
) {
    by::unary::<{ row::OPAQUE }, FORM, A, D>(lanes, inst, f);
}

/// `d = f(a, b)` in every active lane.
#[inline(always)]
pub(crate) fn binary<const FORM: Form, A: Lane, B: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B) -> D,
) {
    by::binary::<{ row::OPAQUE }, FORM, A, B, D>(lanes, inst, f);
}

/// As [`unary`], for a function that reads a table.
#[inline(always)]
pub(crate) fn unary_table<const FORM: Form, A: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A) -> D,
) {
    if const { FORM == WHOLE } {
        by::unary::<{ row::OPAQUE }, TABLE, A, D>(lanes, inst, f);
    } else {
        unary::<FORM, A, D>(lanes, inst, f);
    }
}

/// As [`binary`], for a function that reads a table.
#[inline(always)]
pub(crate) fn binary_table<const FORM: Form, A: Lane, B: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B) -> D,
) {
    if const { FORM == WHOLE } {
        by::binary::<{ row::OPAQUE }, TABLE, A, B, D>(lanes, inst, f);
    } else {
        binary::<FORM, A, B, D>(lanes, inst, f);
    }
}

/// `d = f(a, b, c)` in every active lane.
#[inline(always)]
pub(crate) fn ternary<const FORM: Form, A: Lane, B: Lane, C: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B, C) -> D,
) {
    by::ternary::<{ row::OPAQUE }, FORM, A, B, C, D>(lanes, inst, f);
}

/// The drivers of instructions that keep rows.
pub(crate) mod by {
    use super::*;

    /// `d = f(a)` in every active lane, by a law of [`row`].
    #[inline(always)]
    pub(crate) fn unary<const LAW: row::Law, const FORM: Form, A: Lane, D: Lane>(
        lanes: &mut Lanes,
        inst: &Inst,
        f: impl Fn(A) -> D,
    ) {
        if const { FORM == LANES } {
            return super::unary_by_lanes::<A, D>(lanes, inst, &f);
        }
        let whole = lanes.whole;
        if whole
            && let Some(a) = A::Bits::file(lanes).row(inst.s[0])
            && let Some(row) = row::unary::<LAW, A, D>(a, &f)
        {
            return D::Bits::file_mut(lanes).set_row(inst.d[0], row);
        }
        let mut out = target::<D::Bits>(lanes, inst);
        if const { FORM == WHOLE || FORM == TABLE } {
            let full = whole || lanes.active.full;
            let mut scratch = if full {
                Column::default()
            } else {
                D::Bits::file_mut(lanes).take_scratch()
            };
            let a = A::Bits::file(lanes).source(inst.s[0]);
            let range = lanes.active.range();
            let target = if full {
                &mut out[range.clone()]
            } else {
                &mut scratch[range.clone()]
            };
            map1::<FORM, _, _>(target, &a[range.clone()], |a| f(A::from_bits(a)).to_bits());
            if !full {
                D::Bits::merge(&mut out, &scratch, &lanes.active);
                D::Bits::file_mut(lanes).give_scratch(scratch);
            }
        } else {
            let a = A::Bits::file(lanes).source(inst.s[0]);
            for_each_lane(&lanes.active, |lane| {
                out[lane] = f(A::from_bits(a[lane])).to_bits()
            });
        }
        D::Bits::file_mut(lanes).give(inst.d[0], out);
    }

    /// `d = f(a, b)` in every active lane, by a law of [`row`].
    #[inline(always)]
    pub(crate) fn binary<const LAW: row::Law, const FORM: Form, A: Lane, B: Lane, D: Lane>(
        lanes: &mut Lanes,
        inst: &Inst,
        f: impl Fn(A, B) -> D,
    ) {
        if const { FORM == LANES } {
            return super::binary_by_lanes::<A, B, D>(lanes, inst, &f);
        }
        let whole = lanes.whole;
        if whole
            && let Some(a) = A::Bits::file(lanes).row(inst.s[0])
            && let Some(b) = B::Bits::file(lanes).row(inst.s[1])
            && let Some(row) = row::binary::<LAW, A, B, D>(a, b, &f)
        {
            return D::Bits::file_mut(lanes).set_row(inst.d[0], row);
        }
        let mut out = target::<D::Bits>(lanes, inst);
        if const { FORM == WHOLE || FORM == TABLE } {
            let full = whole || lanes.active.full;
            let mut scratch = if full {
                Column::default()
            } else {
                D::Bits::file_mut(lanes).take_scratch()
            };
            let a = A::Bits::file(lanes).source(inst.s[0]);
            let b = B::Bits::file(lanes).source(inst.s[1]);
            let range = lanes.active.range();
            let target = if full {
                &mut out[range.clone()]
            } else {
                &mut scratch[range.clone()]
            };
            let (a, b) = (&a[range.clone()], &b[range.clone()]);
            map2::<FORM, _, _, _>(target, a, b, |a, b| {
                f(A::from_bits(a), B::from_bits(b)).to_bits()
            });
            if !full {
                D::Bits::merge(&mut out, &scratch, &lanes.active);
                D::Bits::file_mut(lanes).give_scratch(scratch);
            }
        } else {
            let a = A::Bits::file(lanes).source(inst.s[0]);
            let b = B::Bits::file(lanes).source(inst.s[1]);
            for_each_lane(&lanes.active, |lane| {
                out[lane] = f(A::from_bits(a[lane]), B::from_bits(b[lane])).to_bits()
            });
        }
        D::Bits::file_mut(lanes).give(inst.d[0], out);
    }

    /// `d = f(a, b, c)` in every active lane, by a law of [`row`].
    #[inline(always)]
    pub(crate) fn ternary<
        const LAW: row::Law,
        const FORM: Form,
        A: Lane,
        B: Lane,
        C: Lane,
        D: Lane,
    >(
        lanes: &mut Lanes,
        inst: &Inst,
        f: impl Fn(A, B, C) -> D,
    ) {
        if const { FORM == LANES } {
            return super::ternary_by_lanes::<A, B, C, D>(lanes, inst, &f);
        }
        let whole = lanes.whole;
        if whole
            && let Some(a) = A::Bits::file(lanes).row(inst.s[0])
            && let Some(b) = B::Bits::file(lanes).row(inst.s[1])
            && let Some(c) = C::Bits::file(lanes).row(inst.s[2])
            && let Some(row) = row::ternary::<LAW, A, B, C, D>(a, b, c, &f)
        {
            return D::Bits::file_mut(lanes).set_row(inst.d[0], row);
        }
        let mut out = target::<D::Bits>(lanes, inst);
        if const { FORM == WHOLE } {
            let full = whole || lanes.active.full;
            let mut scratch = if full {
                Column::default()
            } else {
                D::Bits::file_mut(lanes).take_scratch()
            };
            let a = A::Bits::file(lanes).source(inst.s[0]);
            let b = B::Bits::file(lanes).source(inst.s[1]);
            let c = C::Bits::file(lanes).source(inst.s[2]);
            let range = lanes.active.range();
            let target = if full {
                &mut out[range.clone()]
            } else {
                &mut scratch[range.clone()]
            };
            map3(
                target,
                &a[range.clone()],
                &b[range.clone()],
                &c[range.clone()],
                |a, b, c| f(A::from_bits(a), B::from_bits(b), C::from_bits(c)).to_bits(),
            );
            if !full {
                D::Bits::merge(&mut out, &scratch, &lanes.active);
                D::Bits::file_mut(lanes).give_scratch(scratch);
            }
        } else {
            let a = A::Bits::file(lanes).source(inst.s[0]);
            let b = B::Bits::file(lanes).source(inst.s[1]);
            let c = C::Bits::file(lanes).source(inst.s[2]);
            for_each_lane(&lanes.active, |lane| {
                out[lane] = f(
                    A::from_bits(a[lane]),
                    B::from_bits(b[lane]),
                    C::from_bits(c[lane]),
                )
                .to_bits()
            });
        }
        D::Bits::file_mut(lanes).give(inst.d[0], out);
    }

    /// Where a result goes: its old value matters in lanes that are not active.
    #[inline(always)]
    fn target<T: Word>(lanes: &mut Lanes, inst: &Inst) -> Column<T> {
        if lanes.whole {
            T::file_mut(lanes).take_whole(inst.d[0])
        } else {
            T::file_mut(lanes).take(inst.d[0])
        }
    }

    /// As [`compare`](super::compare); if `MONOTONE`, `f(a, b)` must not fall where `a` falls or `b` rises.
    #[inline(always)]
    pub(crate) fn compare<const MONOTONE: bool, const FORM: Form, A: Lane>(
        lanes: &mut Lanes,
        inst: &Inst,
        f: impl Fn(A, A) -> bool,
    ) {
        let flip = if inst.imm & 1 == 1 { u32::MAX } else { 0 };
        let mut out = lanes.preds[usize::from(inst.d[0])];
        if const { FORM != LANES }
            && lanes.whole
            && let Some(a) = A::Bits::file(lanes).row(inst.s[0])
            && let Some(b) = A::Bits::file(lanes).row(inst.s[1])
            && let Some(holds) = row::compare::<MONOTONE, A>(a, b, &f)
        {
            for warp in 0..GROUP_WARPS {
                out[warp] = if holds[warp] { !flip } else { flip };
            }
            lanes.preds[usize::from(inst.d[0])] = out;
            return;
        }
        let a = A::Bits::file(lanes).source(inst.s[0]);
        let b = A::Bits::file(lanes).source(inst.s[1]);
        for warp in lanes.active.first..lanes.active.last {
            let at = warp * WARP;
            let (a, b) = (&a[at..at + WARP], &b[at..at + WARP]);
            let mask = lanes.active.mask[warp];
            let mut bits = 0;
            if const { FORM == WHOLE } {
                for lane in 0..WARP {
                    bits |= u32::from(f(A::from_bits(a[lane]), A::from_bits(b[lane]))) << lane;
                }
            } else {
                crate::program::kinds::for_lanes(mask, |lane| {
                    bits |= u32::from(f(A::from_bits(a[lane]), A::from_bits(b[lane]))) << lane;
                });
            }
            out[warp] = (out[warp] & !mask) | ((bits ^ flip) & mask);
        }
        lanes.preds[usize::from(inst.d[0])] = out;
    }
}

/// `d = f(a, b, c, e)` in every active lane, one after another.
#[inline(always)]
pub(crate) fn quaternary<const FORM: Form, A: Lane, B: Lane, C: Lane, E: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B, C, E) -> D,
) {
    if const { FORM != LANES }
        && lanes.whole
        && let Some(a) = A::Bits::file(lanes).row(inst.s[0])
        && let Some(b) = B::Bits::file(lanes).row(inst.s[1])
        && let Some(c) = C::Bits::file(lanes).row(inst.s[2])
        && let Some(e) = E::Bits::file(lanes).row(inst.s[3])
        && a.is_uniform()
        && b.is_uniform()
        && c.is_uniform()
        && e.is_uniform()
    {
        let mut base = [D::Bits::default(); GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            base[warp] = f(
                A::from_bits(a.base[warp]),
                B::from_bits(b.base[warp]),
                C::from_bits(c.base[warp]),
                E::from_bits(e.base[warp]),
            )
            .to_bits();
        }
        return D::Bits::file_mut(lanes).set_row(inst.d[0], Row::uniform(base));
    }
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = B::Bits::file(lanes).source(inst.s[1]);
    let c = C::Bits::file(lanes).source(inst.s[2]);
    let e = E::Bits::file(lanes).source(inst.s[3]);
    for_each_lane(&lanes.active, |lane| {
        out[lane] = f(
            A::from_bits(a[lane]),
            B::from_bits(b[lane]),
            C::from_bits(c[lane]),
            E::from_bits(e[lane]),
        )
        .to_bits();
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

// One lane after another on machines without the vector instructions: compiled once for all instructions of these types.

#[inline(never)]
fn unary_by_lanes<A: Lane, D: Lane>(lanes: &mut Lanes, inst: &Inst, f: &dyn Fn(A) -> D) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    for_each_lane(&lanes.active, |lane| {
        out[lane] = f(A::from_bits(a[lane])).to_bits()
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

#[inline(never)]
fn binary_by_lanes<A: Lane, B: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: &dyn Fn(A, B) -> D,
) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = B::Bits::file(lanes).source(inst.s[1]);
    for_each_lane(&lanes.active, |lane| {
        out[lane] = f(A::from_bits(a[lane]), B::from_bits(b[lane])).to_bits()
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

#[inline(never)]
fn ternary_by_lanes<A: Lane, B: Lane, C: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: &dyn Fn(A, B, C) -> D,
) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = B::Bits::file(lanes).source(inst.s[1]);
    let c = C::Bits::file(lanes).source(inst.s[2]);
    for_each_lane(&lanes.active, |lane| {
        let (a, b, c) = (
            A::from_bits(a[lane]),
            B::from_bits(b[lane]),
            C::from_bits(c[lane]),
        );
        out[lane] = f(a, b, c).to_bits()
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

// The loops take their slices as parameters so that the compiler knows them apart. It does not know them apart from a table
// that `f` reads: there it gets each warp's values as arrays of their own, or it would make no vector instructions.

#[inline(always)]
fn map1<const FORM: Form, A: Word, D: Word>(out: &mut [D], a: &[A], f: impl Fn(A) -> D) {
    if const { FORM != TABLE } {
        for (out, a) in out.iter_mut().zip(a) {
            *out = f(*a);
        }
        return;
    }
    let warps = out.as_chunks_mut::<WARP>().0.iter_mut();
    for (out, a) in warps.zip(a.as_chunks::<WARP>().0) {
        let (a, mut results) = (*a, [D::default(); WARP]);
        for lane in 0..WARP {
            results[lane] = f(a[lane]);
        }
        *out = results;
    }
}

#[inline(always)]
fn map2<const FORM: Form, A: Word, B: Word, D: Word>(
    out: &mut [D],
    a: &[A],
    b: &[B],
    f: impl Fn(A, B) -> D,
) {
    if const { FORM != TABLE } {
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = f(*a, *b);
        }
        return;
    }
    let warps = out.as_chunks_mut::<WARP>().0.iter_mut();
    let sources = a.as_chunks::<WARP>().0.iter().zip(b.as_chunks::<WARP>().0);
    for (out, (a, b)) in warps.zip(sources) {
        let (a, b, mut results) = (*a, *b, [D::default(); WARP]);
        for lane in 0..WARP {
            results[lane] = f(a[lane], b[lane]);
        }
        *out = results;
    }
}

#[inline(always)]
fn map3<A: Copy, B: Copy, C: Copy, D>(
    out: &mut [D],
    a: &[A],
    b: &[B],
    c: &[C],
    f: impl Fn(A, B, C) -> D,
) {
    for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *out = f(*a, *b, *c);
    }
}

/// As [`unary`], for a function that also takes the instruction's modes.
#[inline(always)]
pub(crate) fn unary_modes<const FORM: Form, A: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(Modes, A) -> D,
) {
    let modes = Modes(inst.imm);
    unary::<FORM, A, D>(lanes, inst, |a| f(modes, a));
}

/// As [`binary`], for a function that also takes the instruction's modes.
#[inline(always)]
pub(crate) fn binary_modes<const FORM: Form, A: Lane, B: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(Modes, A, B) -> D,
) {
    let modes = Modes(inst.imm);
    binary::<FORM, A, B, D>(lanes, inst, |a, b| f(modes, a, b));
}

/// As [`ternary`], for a function that also takes the instruction's modes.
#[inline(always)]
pub(crate) fn ternary_modes<const FORM: Form, A: Lane, B: Lane, C: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(Modes, A, B, C) -> D,
) {
    let modes = Modes(inst.imm);
    ternary::<FORM, A, B, C, D>(lanes, inst, |a, b, c| f(modes, a, b, c));
}

/// Sets a predicate in every active lane: `d[0] = f(a, b)`, or its opposite if `imm` is 1.
#[inline(always)]
pub(crate) fn compare<const FORM: Form, A: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, A) -> bool,
) {
    by::compare::<false, FORM, A>(lanes, inst, f);
}

/// Names a function on lanes, compiled for any machine, again for AVX2 and FMA, and again for AVX-512. In the body, `FORM`
/// says how it should go over lanes: on x86-64 the version for any machine is the exception and kept small.
macro_rules! both {
    ($($function:tt)*) => {
        $crate::operations::drive::forms!($crate::operations::drive::WHOLE, $($function)*)
    };
}

/// The same for a function that addresses are not made of: in WebAssembly, which a page has to load first, the version
/// for any machine is kept small too.
macro_rules! seldom {
    ($($function:tt)*) => {
        $crate::operations::drive::forms!($crate::operations::drive::SMALL, $($function)*)
    };
}

/// Names a function as [`both`] does, with this form where the version for any machine is the only one.
macro_rules! forms {
    ($alone:expr, $type:ty, fn($($arg:ident : $ty:ty),*) $body:expr) => {{
        fn plain($($arg: $ty),*) {
            #[allow(dead_code)]
            const FORM: $crate::operations::drive::Form = if cfg!(target_arch = "x86_64") {
                $crate::operations::drive::LANES
            } else {
                $alone
            };
            $body
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn wide($($arg: $ty),*) {
            #[allow(dead_code)]
            const FORM: $crate::operations::drive::Form = $crate::operations::drive::WHOLE;
            $body
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
        fn widest($($arg: $ty),*) {
            #[allow(dead_code)]
            const FORM: $crate::operations::drive::Form = $crate::operations::drive::WHOLE;
            $body
        }
        #[cfg(not(target_arch = "x86_64"))]
        use {plain as wide, plain as widest};
        $crate::machine::inst::Both::<$type> { plain, wide, widest }
    }};
}

/// Names a function that gains nothing from vector instructions.
macro_rules! one {
    ($type:ty, fn($($arg:ident : $ty:ty),*) $body:expr) => {{
        fn plain($($arg: $ty),*) {
            #[allow(dead_code)]
            const FORM: $crate::operations::drive::Form = if cfg!(target_arch = "wasm32") {
                $crate::operations::drive::LANES
            } else {
                $crate::operations::drive::ROWS
            };
            $body
        }
        $crate::machine::inst::Both::<$type> { plain, wide: plain, widest: plain }
    }};
}

/// An instruction that computes: its function and the kinds of its operands.
///
/// `computes!(ADD_32, binary, (u32, u32) => u32, |a, b| a.wrapping_add(b))`; with `one` before the name,
/// the function goes lane by lane on every machine. `binary by SUM` names the law of [`row`] that it obeys.
macro_rules! computes {
    (one $name:ident, $driver:ident, ($($source:ty),*) => $result:ty, $f:expr) => {
        $crate::operations::drive::computes!(@ one, $name, $driver, ($($source),*) => $result, $f);
    };
    ($name:ident, $driver:ident, ($($source:ty),*) => $result:ty, $f:expr) => {
        $crate::operations::drive::computes!(@ seldom, $name, $driver, ($($source),*) => $result, $f);
    };
    ($name:ident, $driver:ident by $law:ident, ($($source:ty),*) => $result:ty, $f:expr) => {
        pub(crate) const $name: $crate::operations::drive::Compute = $crate::operations::drive::Compute {
            function: $crate::operations::drive::both!(
                $crate::machine::inst::ComputeFn,
                fn(lanes: &mut $crate::machine::lanes::Lanes, inst: &$crate::machine::inst::Inst)
                $crate::operations::drive::by::$driver::<{ $crate::machine::row::$law }, FORM, $($source,)* $result>(
                    lanes, inst, $f
                )
            ),
            result: <$result as $crate::machine::lanes::Lane>::KIND,
            sources: &[$(<$source as $crate::machine::lanes::Lane>::KIND),*],
        };
    };
    (@ $forms:ident, $name:ident, $driver:ident, ($($source:ty),*) => $result:ty, $f:expr) => {
        pub(crate) const $name: $crate::operations::drive::Compute = $crate::operations::drive::Compute {
            function: $crate::operations::drive::$forms!(
                $crate::machine::inst::ComputeFn,
                fn(lanes: &mut $crate::machine::lanes::Lanes, inst: &$crate::machine::inst::Inst)
                $crate::operations::drive::$driver::<FORM, $($source,)* $result>(lanes, inst, $f)
            ),
            result: <$result as $crate::machine::lanes::Lane>::KIND,
            sources: &[$(<$source as $crate::machine::lanes::Lane>::KIND),*],
        };
    };
}

pub(crate) use {both, computes, forms, one, seldom};
