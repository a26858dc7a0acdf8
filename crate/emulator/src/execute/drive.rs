//! The loops over lanes that all computing instructions share, and the macros that name an instruction's function.

use crate::execute::lanes::{Active, Lane, Lanes, WARP, Word};
use crate::execute::program::Inst;
use crate::execute::rounding::Modes;

/// `d = f(a)` in every active lane.
#[inline(always)]
pub(crate) fn unary<A: Lane, D: Lane>(lanes: &mut Lanes, inst: &Inst, f: impl Fn(A) -> D) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let range = lanes.active.range();
    let a = &A::Bits::file(lanes).source(inst.s[0])[range.clone()];
    map1(&mut out[range], a, &lanes.active, |a| f(A::from_bits(a)).to_bits());
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// `d = f(a, b)` in every active lane.
#[inline(always)]
pub(crate) fn binary<A: Lane, B: Lane, D: Lane>(lanes: &mut Lanes, inst: &Inst, f: impl Fn(A, B) -> D) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let range = lanes.active.range();
    let a = &A::Bits::file(lanes).source(inst.s[0])[range.clone()];
    let b = &B::Bits::file(lanes).source(inst.s[1])[range.clone()];
    map2(&mut out[range], a, b, &lanes.active, |a, b| f(A::from_bits(a), B::from_bits(b)).to_bits());
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// `d = f(a, b, c)` in every active lane.
#[inline(always)]
pub(crate) fn ternary<A: Lane, B: Lane, C: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B, C) -> D,
) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let range = lanes.active.range();
    let a = &A::Bits::file(lanes).source(inst.s[0])[range.clone()];
    let b = &B::Bits::file(lanes).source(inst.s[1])[range.clone()];
    let c = &C::Bits::file(lanes).source(inst.s[2])[range.clone()];
    map3(&mut out[range], a, b, c, &lanes.active, |a, b, c| {
        f(A::from_bits(a), B::from_bits(b), C::from_bits(c)).to_bits()
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

// The three loops take their slices as parameters so that the compiler knows them apart.

#[inline(always)]
fn map1<A: Copy, D: Copy>(out: &mut [D], a: &[A], active: &Active, f: impl Fn(A) -> D) {
    if active.full {
        for (out, a) in out.iter_mut().zip(a) {
            *out = f(*a);
        }
        return;
    }
    for_masked(active, |at, mask| {
        for lane in 0..WARP {
            let value = f(a[at..at + WARP][lane]);
            blend(&mut out[at..at + WARP][lane], value, mask, lane);
        }
    });
}

#[inline(always)]
fn map2<A: Copy, B: Copy, D: Copy>(out: &mut [D], a: &[A], b: &[B], active: &Active, f: impl Fn(A, B) -> D) {
    if active.full {
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = f(*a, *b);
        }
        return;
    }
    for_masked(active, |at, mask| {
        let (a, b) = (&a[at..at + WARP], &b[at..at + WARP]);
        let out = &mut out[at..at + WARP];
        for lane in 0..WARP {
            blend(&mut out[lane], f(a[lane], b[lane]), mask, lane);
        }
    });
}

#[inline(always)]
fn map3<A: Copy, B: Copy, C: Copy, D: Copy>(
    out: &mut [D],
    a: &[A],
    b: &[B],
    c: &[C],
    active: &Active,
    f: impl Fn(A, B, C) -> D,
) {
    if active.full {
        for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
            *out = f(*a, *b, *c);
        }
        return;
    }
    for_masked(active, |at, mask| {
        let (a, b, c) = (&a[at..at + WARP], &b[at..at + WARP], &c[at..at + WARP]);
        let out = &mut out[at..at + WARP];
        for lane in 0..WARP {
            blend(&mut out[lane], f(a[lane], b[lane], c[lane]), mask, lane);
        }
    });
}

#[inline(always)]
fn blend<D: Copy>(out: &mut D, value: D, mask: u32, lane: usize) {
    *out = if mask & (1 << lane) != 0 { value } else { *out };
}

/// Calls `f` with the start in the window and the mask of each warp that has active lanes.
#[inline(always)]
pub(crate) fn for_masked(active: &Active, mut f: impl FnMut(usize, u32)) {
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask != 0 {
            f((warp - active.first) * WARP, mask);
        }
    }
}

/// Calls `f` with the index in a register's array of each active lane: for instructions so slow that
/// computing idle lanes would cost more than the loop.
#[inline(always)]
pub(crate) fn for_each_lane(active: &Active, mut f: impl FnMut(usize)) {
    for warp in active.first..active.last {
        let mut mask = active.mask[warp];
        while mask != 0 {
            f(warp * WARP + mask.trailing_zeros() as usize);
            mask &= mask - 1;
        }
    }
}

/// As [`unary`], one lane at a time.
#[inline(always)]
pub(crate) fn unary_slow<A: Lane, D: Lane>(lanes: &mut Lanes, inst: &Inst, f: impl Fn(A) -> D) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    for_each_lane(&lanes.active, |lane| out[lane] = f(A::from_bits(a[lane])).to_bits());
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// As [`binary`], one lane at a time.
#[inline(always)]
pub(crate) fn binary_slow<A: Lane, B: Lane, D: Lane>(lanes: &mut Lanes, inst: &Inst, f: impl Fn(A, B) -> D) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = B::Bits::file(lanes).source(inst.s[1]);
    for_each_lane(&lanes.active, |lane| {
        out[lane] = f(A::from_bits(a[lane]), B::from_bits(b[lane])).to_bits();
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// As [`ternary`], one lane at a time.
#[inline(always)]
pub(crate) fn ternary_slow<A: Lane, B: Lane, C: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B, C) -> D,
) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = B::Bits::file(lanes).source(inst.s[1]);
    let c = C::Bits::file(lanes).source(inst.s[2]);
    for_each_lane(&lanes.active, |lane| {
        out[lane] = f(A::from_bits(a[lane]), B::from_bits(b[lane]), C::from_bits(c[lane])).to_bits();
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// `d = f(a, b, c, e)` in every active lane.
#[inline(always)]
pub(crate) fn quaternary<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(A, B, C, E) -> D,
) {
    let mut out = D::Bits::file_mut(lanes).take(inst.d[0]);
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = B::Bits::file(lanes).source(inst.s[1]);
    let c = C::Bits::file(lanes).source(inst.s[2]);
    let e = E::Bits::file(lanes).source(inst.s[3]);
    for_each_lane(&lanes.active, |lane| {
        let value = f(A::from_bits(a[lane]), B::from_bits(b[lane]), C::from_bits(c[lane]), E::from_bits(e[lane]));
        out[lane] = value.to_bits();
    });
    D::Bits::file_mut(lanes).give(inst.d[0], out);
}

/// As [`unary_slow`], for a function that also takes the instruction's modes.
#[inline(always)]
pub(crate) fn unary_modes<A: Lane, D: Lane>(lanes: &mut Lanes, inst: &Inst, f: impl Fn(Modes, A) -> D) {
    let modes = Modes(inst.imm);
    unary_slow(lanes, inst, |a| f(modes, a));
}

/// As [`binary_slow`], for a function that also takes the instruction's modes.
#[inline(always)]
pub(crate) fn binary_modes<A: Lane, B: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(Modes, A, B) -> D,
) {
    let modes = Modes(inst.imm);
    binary_slow(lanes, inst, |a, b| f(modes, a, b));
}

/// As [`ternary_slow`], for a function that also takes the instruction's modes.
#[inline(always)]
pub(crate) fn ternary_modes<A: Lane, B: Lane, C: Lane, D: Lane>(
    lanes: &mut Lanes,
    inst: &Inst,
    f: impl Fn(Modes, A, B, C) -> D,
) {
    let modes = Modes(inst.imm);
    ternary_slow(lanes, inst, |a, b, c| f(modes, a, b, c));
}

/// Sets a predicate in every active lane: `d[0] = f(a, b)`, or its opposite if `imm` is 1.
#[inline(always)]
pub(crate) fn compare<A: Lane>(lanes: &mut Lanes, inst: &Inst, f: impl Fn(A, A) -> bool) {
    let a = A::Bits::file(lanes).source(inst.s[0]);
    let b = A::Bits::file(lanes).source(inst.s[1]);
    let flip = if inst.imm & 1 == 1 { u32::MAX } else { 0 };
    let mut out = lanes.preds[usize::from(inst.d[0])];
    for warp in lanes.active.first..lanes.active.last {
        let at = warp * WARP;
        let bits = compare_warp(&a[at..at + WARP], &b[at..at + WARP], &f) ^ flip;
        let mask = lanes.active.mask[warp];
        out[warp] = (out[warp] & !mask) | (bits & mask);
    }
    lanes.preds[usize::from(inst.d[0])] = out;
}

#[inline(always)]
fn compare_warp<A: Lane>(a: &[A::Bits], b: &[A::Bits], f: &impl Fn(A, A) -> bool) -> u32 {
    let mut bits = 0;
    for lane in 0..WARP {
        bits |= u32::from(f(A::from_bits(a[lane]), A::from_bits(b[lane]))) << lane;
    }
    bits
}

/// Names a function on lanes, compiled for any machine and again for AVX2 and FMA.
macro_rules! both {
    ($type:ty, fn($($arg:ident : $ty:ty),*) $body:expr) => {{
        fn plain($($arg: $ty),*) {
            $body
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn wide($($arg: $ty),*) {
            $body
        }
        #[cfg(not(target_arch = "x86_64"))]
        use plain as wide;
        $crate::execute::program::Both::<$type> { plain, wide }
    }};
}

/// An instruction that computes: its function and the kinds of its operands.
///
/// `computes!(ADD_32, binary, (u32, u32) => u32, |a, b| a.wrapping_add(b))`
macro_rules! computes {
    ($name:ident, $driver:ident, ($($source:ty),*) => $result:ty, $f:expr) => {
        pub(crate) const $name: $crate::table::Lowering = $crate::table::Lowering::Compute {
            function: $crate::execute::drive::both!(
                $crate::execute::program::ComputeFn,
                fn(lanes: &mut $crate::execute::lanes::Lanes, inst: &$crate::execute::program::Inst)
                $crate::execute::drive::$driver::<$($source,)* $result>(lanes, inst, $f)
            ),
            result: <$result as $crate::execute::lanes::Lane>::KIND,
            sources: &[$(<$source as $crate::execute::lanes::Lane>::KIND),*],
        };
    };
}

pub(crate) use {both, computes};
