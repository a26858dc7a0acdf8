//! Rows: registers whose lanes follow a rule, as nearly all indices and addresses do, and which instructions keep it.

use crate::machine::lanes::{Lane, Word};
use crate::program::kinds::{GROUP_WARPS, WARP};

/// Bits of a lane's number.
const LANE_BITS: usize = 5;

/// All lanes of a register: lane `l` of warp `w` holds `base[w]` plus `step[b]` for each bit `b` that is set in `l`,
/// modulo the register's width.
///
/// That is the lane's number, its row and column in a tile of a power of two, and sums and multiples of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Row<T> {
    pub(crate) base: [T; GROUP_WARPS],
    /// Zeros after the fifth: as long as `base`, so that one vector instruction takes either.
    pub(crate) step: [T; GROUP_WARPS],
}

/// How the results of an instruction follow from rows as its sources. An instruction on uniform ones, without any
/// step, has a uniform result whatever it computes.
pub(crate) type Law = u8;

/// Nothing is known.
pub(crate) const OPAQUE: Law = 0;
/// A sum of the sources, with any signs and constants, modulo the result's width.
pub(crate) const SUM: Law = 1;
/// The product of the first two sources, plus the third.
pub(crate) const PRODUCT: Law = 2;
/// The first source times something that depends on the second, plus the third.
pub(crate) const SCALE: Law = 3;
/// Each bit of the result is a function of the sources' bits at the same place.
pub(crate) const MASK: Law = 4;
/// Each bit of the result is some bit of the first source, or constant; the other sources say which.
pub(crate) const PICK: Law = 5;
/// Added to the above: the result is wider than the sources, which must not wrap.
const WIDENS: Law = 8;
pub(crate) const WIDE_SUM: Law = SUM | WIDENS;
pub(crate) const WIDE_PRODUCT: Law = PRODUCT | WIDENS;

// What is asked of a row by itself is inlined for the vector instructions of whoever asks. In WebAssembly it is a function
// that all instructions share: a page loads it once, and a browser sooner makes quick code of it. Loops go over references:
// a loop over an array's values calls its iterator there.

impl<T: Word> Row<T> {
    /// The same value in all lanes.
    pub(crate) fn constant(value: T) -> Self {
        Self::uniform([value; GROUP_WARPS])
    }

    /// The same value in all lanes of a warp.
    #[inline(always)]
    pub(crate) fn uniform(base: [T; GROUP_WARPS]) -> Self {
        Self {
            base,
            step: [T::default(); GROUP_WARPS],
        }
    }

    /// The row that these lanes are, if they are one.
    pub(crate) fn of(lanes: &[T]) -> Option<Self> {
        let mut row = Self::default();
        for (base, warp) in row.base.iter_mut().zip(lanes.chunks_exact(WARP)) {
            *base = warp[0];
        }
        for bit in 0..LANE_BITS {
            row.step[bit] = lanes[1 << bit].minus(lanes[0]);
        }
        let mut spread = vec![T::default(); lanes.len()];
        row.spread(&mut spread);
        (spread == lanes).then_some(row)
    }

    /// Writes the value of every lane.
    pub(crate) fn spread(&self, lanes: &mut [T]) {
        let mut offsets = [T::default(); WARP];
        if !self.is_uniform() {
            offsets = self.offsets();
        }
        for (base, warp) in self.base.iter().zip(lanes.chunks_exact_mut(WARP)) {
            for (lane, offset) in warp.iter_mut().zip(&offsets) {
                *lane = base.plus(*offset);
            }
        }
    }

    /// The value of one lane.
    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> T {
        let mut value = self.base[lane / WARP];
        for bit in 0..LANE_BITS {
            if lane >> bit & 1 != 0 {
                value = value.plus(self.step[bit]);
            }
        }
        value
    }

    /// How far each lane is from its warp's base.
    #[inline(always)]
    pub(crate) fn offsets(&self) -> [T; WARP] {
        let mut offsets = [T::default(); WARP];
        for bit in 0..LANE_BITS {
            let (before, after) = offsets.split_at_mut(1 << bit);
            for (after, before) in after.iter_mut().zip(before) {
                *after = before.plus(self.step[bit]);
            }
        }
        offsets
    }

    /// The same in all lanes of all warps.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn is_constant(&self) -> bool {
        let mut same = self.is_uniform();
        for base in &self.base {
            same &= *base == self.base[0];
        }
        same
    }

    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn is_uniform(&self) -> bool {
        let mut all = T::default();
        for step in &self.step {
            all = all.or(*step);
        }
        all == T::default()
    }

    /// How far lanes are at most below and above their base; `None` if that may be much.
    #[inline(always)]
    fn reach(&self) -> Option<(T, T)> {
        let (mut down, mut up, mut small) = (T::default(), T::default(), true);
        for step in &self.step {
            small &= step.is_small();
            if step.is_negative() {
                down = down.minus(*step);
            } else {
                up = up.plus(*step);
            }
        }
        small.then_some((down, up))
    }

    /// The least and the greatest value of each warp's lanes, if none wraps in this type.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn extent<A: Lane<Bits = T>>(&self) -> Option<([T; GROUP_WARPS], [T; GROUP_WARPS])> {
        let (down, up) = self.reach()?;
        let (mut low, mut high) = (self.base, self.base);
        let mut ordered = true;
        for warp in 0..GROUP_WARPS {
            let base = self.base[warp];
            low[warp] = base.minus(down);
            high[warp] = base.plus(up);
            // Less than half of the width away: one that wraps shows as out of order.
            ordered &= A::in_order(low[warp], base) & A::in_order(base, high[warp]);
        }
        ordered.then_some((low, high))
    }
    #[inline(always)]
    fn wraps<A: Lane<Bits = T>>(&self) -> bool {
        !self.is_uniform() && self.extent::<A>().is_none()
    }

    /// Base and steps have no bits in common, so that sums are made without carries.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn is_disjoint(&self) -> bool {
        let mut seen = T::default();
        let mut common = T::default();
        for base in &self.base {
            seen = seen.or(*base);
        }
        for step in &self.step {
            common = common.or(seen.and(*step));
            seen = seen.or(*step);
        }
        common == T::default()
    }

    /// The first warp's value where bit `bit` of the lane's number is set.
    #[inline(always)]
    fn first_corner(&self, bit: usize) -> T {
        self.base[0].plus(self.step[bit])
    }

    /// All warps' values where bit `bit` of the lane's number is set.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn corner(&self, bit: usize) -> [T; GROUP_WARPS] {
        let mut corner = self.base;
        for base in &mut corner {
            *base = base.plus(self.step[bit]);
        }
        corner
    }
}

/// A result whose steps are the same in all warps, taken from the first.
#[inline(always)]
fn from_first<D: Word>(base: [D; GROUP_WARPS], corner: impl Fn(usize) -> D) -> Row<D> {
    let mut row = Row::uniform(base);
    for bit in 0..GROUP_WARPS {
        row.step[bit] = corner(bit).minus(base[0]);
    }
    row
}

/// A result whose steps are only known to be a row's if they are the same in all warps.
#[inline(always)]
fn from_all<D: Word>(
    base: [D; GROUP_WARPS],
    corner: impl Fn(usize) -> [D; GROUP_WARPS],
) -> Option<Row<D>> {
    let mut row = Row::uniform(base);
    let mut same = true;
    for bit in 0..LANE_BITS {
        let corner = corner(bit);
        let step = corner[0].minus(base[0]);
        for warp in 0..GROUP_WARPS {
            same &= corner[warp].minus(base[warp]) == step;
        }
        row.step[bit] = step;
    }
    same.then_some(row)
}

// The laws are constants of the functions below, and asked for in `const` blocks: what a law does not need is not even
// compiled. Loops write to arrays for the same reason: `array::from_fn` is a handful of functions for each closure.

/// The row `f(a)`, if the law says that it is one.
#[inline(always)]
pub(crate) fn unary<const LAW: Law, A: Lane, D: Lane>(
    a: &Row<A::Bits>,
    f: &impl Fn(A) -> D,
) -> Option<Row<D::Bits>> {
    let one = |a| f(A::from_bits(a)).to_bits();
    let at = |a: [A::Bits; GROUP_WARPS]| {
        let mut values = [D::Bits::default(); GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            values[warp] = one(a[warp]);
        }
        values
    };
    let base = at(a.base);
    if a.is_uniform() {
        return Some(Row::uniform(base));
    }
    if const { LAW & WIDENS != 0 } && a.wraps::<A>() {
        return None;
    }
    if const { kind(LAW) == SUM } {
        return Some(from_first(base, |bit| one(a.first_corner(bit))));
    }
    if const { kind(LAW) == MASK || kind(LAW) == PICK } && a.is_disjoint() {
        return from_all(base, |bit| at(a.corner(bit)));
    }
    None
}

/// The row `f(a, b)`, if the law says that it is one.
#[inline(always)]
pub(crate) fn binary<const LAW: Law, A: Lane, B: Lane, D: Lane>(
    a: &Row<A::Bits>,
    b: &Row<B::Bits>,
    f: &impl Fn(A, B) -> D,
) -> Option<Row<D::Bits>> {
    let one = |a, b| f(A::from_bits(a), B::from_bits(b)).to_bits();
    let at = |a: [A::Bits; GROUP_WARPS], b: [B::Bits; GROUP_WARPS]| {
        let mut values = [D::Bits::default(); GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            values[warp] = one(a[warp], b[warp]);
        }
        values
    };
    let base = at(a.base, b.base);
    let uniform = (a.is_uniform(), b.is_uniform());
    if uniform == (true, true) {
        return Some(Row::uniform(base));
    }
    if const { LAW & WIDENS != 0 } && (a.wraps::<A>() || b.wraps::<B>()) {
        return None;
    }
    if const { kind(LAW) == SUM } {
        return Some(from_first(base, |bit| {
            one(a.first_corner(bit), b.first_corner(bit))
        }));
    }
    if const { kind(LAW) == PRODUCT || kind(LAW) == SCALE } {
        let follows = uniform.1 || const { kind(LAW) == PRODUCT } && uniform.0;
        if follows && (a.is_constant() || b.is_constant()) {
            return Some(from_first(base, |bit| {
                one(a.first_corner(bit), b.first_corner(bit))
            }));
        }
        if follows {
            return from_all(base, |bit| at(a.corner(bit), b.corner(bit)));
        }
    }
    if const { kind(LAW) == MASK || kind(LAW) == PICK } {
        let follows = uniform.1 && a.is_disjoint()
            || const { kind(LAW) == MASK } && uniform.0 && b.is_disjoint();
        if follows {
            return from_all(base, |bit| at(a.corner(bit), b.corner(bit)));
        }
    }
    None
}

/// The row `f(a, b, c)`, if the law says that it is one.
#[inline(always)]
pub(crate) fn ternary<const LAW: Law, A: Lane, B: Lane, C: Lane, D: Lane>(
    a: &Row<A::Bits>,
    b: &Row<B::Bits>,
    c: &Row<C::Bits>,
    f: &impl Fn(A, B, C) -> D,
) -> Option<Row<D::Bits>> {
    let one = |a, b, c| f(A::from_bits(a), B::from_bits(b), C::from_bits(c)).to_bits();
    let at = |a: [A::Bits; GROUP_WARPS], b: [B::Bits; GROUP_WARPS], c: [C::Bits; GROUP_WARPS]| {
        let mut values = [D::Bits::default(); GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            values[warp] = one(a[warp], b[warp], c[warp]);
        }
        values
    };
    let base = at(a.base, b.base, c.base);
    let uniform = (a.is_uniform(), b.is_uniform(), c.is_uniform());
    if uniform == (true, true, true) {
        return Some(Row::uniform(base));
    }
    if const { LAW & WIDENS != 0 } && (a.wraps::<A>() || b.wraps::<B>()) {
        return None;
    }
    if const { kind(LAW) == PRODUCT || kind(LAW) == SCALE } {
        let follows = uniform.1 || const { kind(LAW) == PRODUCT } && uniform.0;
        if follows && (a.is_constant() || b.is_constant()) {
            return Some(from_first(base, |bit| {
                one(
                    a.first_corner(bit),
                    b.first_corner(bit),
                    c.first_corner(bit),
                )
            }));
        }
        if follows {
            return from_all(base, |bit| at(a.corner(bit), b.corner(bit), c.corner(bit)));
        }
    }
    if const { kind(LAW) == PICK } && uniform.1 && uniform.2 && a.is_disjoint() {
        return from_all(base, |bit| at(a.corner(bit), b.corner(bit), c.corner(bit)));
    }
    None
}

/// A law without what may be added to it.
const fn kind(law: Law) -> Law {
    law & !WIDENS
}

/// Which warps' lanes all compare alike: `f(a, b)` must not fall where `a` falls or `b` rises. `None` if some
/// warp's lanes may differ.
#[inline(always)]
pub(crate) fn compare<const MONOTONE: bool, A: Lane>(
    a: &Row<A::Bits>,
    b: &Row<A::Bits>,
    f: &impl Fn(A, A) -> bool,
) -> Option<[bool; GROUP_WARPS]> {
    let at = |a: [A::Bits; GROUP_WARPS], b: [A::Bits; GROUP_WARPS]| {
        let mut holds = [false; GROUP_WARPS];
        for warp in 0..GROUP_WARPS {
            holds[warp] = f(A::from_bits(a[warp]), A::from_bits(b[warp]));
        }
        holds
    };
    let uniform = (a.is_uniform(), b.is_uniform());
    if uniform == (true, true) {
        return Some(at(a.base, b.base));
    }
    if !MONOTONE {
        return None;
    }
    let (a_low, a_high) = if uniform.0 {
        (a.base, a.base)
    } else {
        a.extent::<A>()?
    };
    let (b_low, b_high) = if uniform.1 {
        (b.base, b.base)
    } else {
        b.extent::<A>()?
    };
    let most: [bool; GROUP_WARPS] = at(a_low, b_high);
    (most == at(a_high, b_low)).then_some(most)
}
