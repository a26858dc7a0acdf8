//! The registers of a group of warps: lane by lane or as a row, and which lanes are active.

use std::cell::{Cell, OnceCell};
use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::check::Undefined;
use crate::machine::row::Row;
use crate::program::kinds::{GROUP_WARPS, Kind, Mask, POISON, PRESET, Slot, WARP};

/// Calls `f` with the index in a register's array of each active lane.
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

/// The lanes that the next instruction acts on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Active {
    pub(crate) mask: Mask,
    /// First warp with an active lane.
    pub(crate) first: usize,
    /// One past the last warp with an active lane.
    pub(crate) last: usize,
    /// All lanes of the warps `first..last` are active.
    pub(crate) full: bool,
}

impl Active {
    #[inline]
    pub(crate) fn new(mask: Mask) -> Self {
        let mut first = GROUP_WARPS;
        let mut last = 0;
        for (warp, lanes) in mask.iter().enumerate() {
            if *lanes != 0 {
                first = first.min(warp);
                last = warp + 1;
            }
        }
        let first = first.min(last);
        let full = mask[first..last].iter().all(|lanes| *lanes == u32::MAX);
        Self {
            mask,
            first,
            last,
            full,
        }
    }

    /// The active lanes' place in a register's array (and inactive lanes between them).
    #[inline(always)]
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first * WARP..self.last * WARP
    }

    /// The only active lane, if there is no other.
    #[inline(always)]
    pub(crate) fn alone(&self) -> Option<usize> {
        if self.full || self.last - self.first != 1 {
            return None;
        }
        let mask = self.mask[self.first];
        mask.is_power_of_two()
            .then(|| self.first * WARP + mask.trailing_zeros() as usize)
    }

    /// Warps with an active lane, as bits.
    #[inline(always)]
    pub(crate) fn warps(&self) -> u32 {
        let mut warps = 0;
        for warp in 0..GROUP_WARPS {
            warps |= u32::from(self.mask[warp] != 0) << warp;
        }
        warps
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first == self.last
    }

    /// Active lanes.
    #[inline]
    pub(crate) fn lanes(&self) -> u32 {
        self.mask.iter().map(|lanes| lanes.count_ones()).sum()
    }
}

/// Registers, predicates and local memory of one group of warps.
#[derive(Debug)]
pub(crate) struct Lanes {
    pub(crate) active: Active,
    /// All lanes that have not exited are active: nobody misses what is written to the others.
    pub(crate) whole: bool,
    /// Lanes that have not exited.
    pub(crate) live: Mask,
    /// Number in the block of the group's first warp.
    pub(crate) first_warp: usize,
    pub(crate) words: File<u32>,
    pub(crate) longs: File<u64>,
    pub(crate) preds: Vec<Mask>,
    /// Local memory as the hardware interleaves it: word `w` of lane `l` is at `w * lanes + l`.
    pub(crate) local: Vec<u32>,
    pub(crate) frame: Frame,
    /// Of checked launches.
    pub(crate) undefined: Undefined,
}

/// The running lanes' frame of local memory: all lanes that run together have come by the same calls.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// First byte, and the first behind it.
    pub(crate) base: u64,
    pub(crate) end: u64,
    /// By lane, the end of what `alloca` gave it, if that lies behind the frame.
    pub(crate) tops: Vec<u64>,
    /// By lane, the pointer that the next call goes through.
    pub(crate) pointers: Vec<u64>,
    /// Of functions that have returned, where nothing else has come into use since; in checked launches only.
    pub(crate) left: Vec<Left>,
}

/// The frame of a function that has returned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    /// First byte, and the first behind it.
    pub(crate) base: u64,
    pub(crate) end: u64,
    pub(crate) function: Returned,
    /// The lanes that have returned from it.
    pub(crate) lanes: Mask,
}

/// A function that has returned.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Returned {
    /// Index into [`crate::program::Program::functions`].
    Called(u32),
    /// Index into [`crate::program::Program::inlined`].
    Inlined(u32),
}

impl Frame {
    /// A block starts.
    pub(crate) fn clear(&mut self) {
        self.tops.fill(0);
        self.left.clear();
    }

    /// A part of local memory comes into use by some lanes.
    pub(crate) fn enter(&mut self, base: u64, end: u64, lanes: &Mask) {
        if self.left.is_empty() {
            return;
        }
        for left in &mut self.left {
            if left.base < end && base < left.end {
                for (left, entered) in left.lanes.iter_mut().zip(lanes) {
                    *left &= !entered;
                }
            }
        }
        self.left.retain(|left| left.lanes != [0; GROUP_WARPS]);
    }

    /// A function returns.
    pub(crate) fn leave(&mut self, left: Left) {
        self.enter(left.base, left.end, &left.lanes);
        self.left.push(left);
    }

    /// The function that has returned in whose frame a byte of a lane lies.
    pub(crate) fn left_at(&self, at: u64, lane: usize) -> Option<Returned> {
        let is_here = |left: &&Left| {
            let has_lane = left.lanes[lane / WARP] & (1 << (lane % WARP)) != 0;
            has_lane && (left.base..left.end).contains(&at)
        };
        self.left.iter().find(is_here).map(|left| left.function)
    }

    /// The first byte that none of the active lanes uses.
    pub(crate) fn highest(&self, active: &Active) -> u64 {
        let mut highest = self.end;
        crate::machine::lanes::for_each_lane(active, |lane| highest = highest.max(self.tops[lane]));
        highest
    }
}

impl Lanes {
    /// Makes local memory reach to `end`, in bytes of each lane.
    pub(crate) fn grow_local(&mut self, end: u64) {
        let words = (end as usize).div_ceil(4) * GROUP_WARPS * WARP;
        if words > self.local.len() {
            self.local.resize(words, POISON);
        }
    }

    /// Number in the block of the thread in a lane of the group.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        (self.first_warp * WARP + lane) as u32
    }

    /// Bytes of local memory that each lane has now.
    pub(crate) fn local_bytes(&self) -> u64 {
        (self.local.len() / (GROUP_WARPS * WARP)) as u64 * 4
    }
}

impl Lanes {
    /// Makes these the active lanes.
    #[inline]
    pub(crate) fn activate(&mut self, active: Active) {
        self.whole = active.mask == self.live;
        self.active = active;
    }
}

/// So many values are as long as the widest vector, or twice that.
const CHUNK: usize = 16;

#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
struct Chunk<T>([T; CHUNK]);

/// The lanes of a register, at a multiple of the widest vector's length: vectors across two lines of the host's cache
/// take twice as long.
#[derive(Debug, Default)]
pub(crate) struct Column<T>(Box<[Chunk<T>]>);

impl<T: Word> Column<T> {
    /// So many lanes, rounded up to whole vectors.
    fn new(lanes: usize) -> Self {
        Self(vec![Chunk::default(); lanes.div_ceil(CHUNK)].into_boxed_slice())
    }
}

impl<T: Word> Deref for Column<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        const { assert!(size_of::<Chunk<T>>() == CHUNK * size_of::<T>()) }
        // SAFETY: a chunk is its values and nothing else, as the line above proves, so that the values of all chunks
        // lie one after the other in the memory that is borrowed.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * CHUNK) }
    }
}

impl<T: Word> DerefMut for Column<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; the memory is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * CHUNK) }
    }
}

/// One register: its lanes, or the row that says them all, or both.
pub(crate) struct Register<T> {
    row: Row<T>,
    has_row: bool,
    /// Empty while only the row holds; filled in as soon as somebody looks.
    lanes: OnceCell<Column<T>>,
    /// The memory of the lanes while these are not there.
    spare: Cell<Column<T>>,
}

impl<T: std::fmt::Debug> std::fmt::Debug for Register<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.has_row {
            self.row.fmt(f)
        } else {
            self.lanes.fmt(f)
        }
    }
}

impl<T: Word> Register<T> {
    fn new(lanes: usize) -> Self {
        Self {
            row: Row::default(),
            has_row: false,
            lanes: OnceCell::from(Column::new(lanes)),
            spare: Cell::default(),
        }
    }
    #[inline(always)]
    fn lanes(&self) -> &[T] {
        match self.lanes.get() {
            Some(lanes) => lanes,
            None => self.settled(),
        }
    }

    #[inline(never)]
    fn settled(&self) -> &[T] {
        self.lanes.get_or_init(|| {
            let mut lanes = self.spare.take();
            self.row.spread(&mut lanes);
            lanes
        })
    }

    /// The lanes, to be written to in part.
    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [T] {
        self.lanes();
        self.has_row = false;
        match self.lanes.get_mut() {
            Some(lanes) => lanes,
            // They are there since the first line.
            None => &mut [],
        }
    }
}

/// The registers of a file, or its presets. To index them mutably leaves only the lanes of a register.
#[derive(Debug, Default)]
pub(crate) struct Registers<T>(Box<[Register<T>]>);

impl<T: Word> Registers<T> {
    /// So many registers, each of so many lanes.
    pub(crate) fn new(count: usize, lanes: usize) -> Self {
        Self((0..count).map(|_| Register::new(lanes)).collect())
    }

    /// Exchanges two registers.
    #[inline(always)]
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        self.0.swap(a, b);
    }

    /// Makes a register a row, in all its lanes.
    #[inline(always)]
    pub(crate) fn set_row(&mut self, index: usize, row: Row<T>) {
        let register = &mut self.0[index];
        if let Some(lanes) = register.lanes.take() {
            register.spare.set(lanes);
        }
        register.row = row;
        register.has_row = true;
    }
}

impl<T: Word> Index<usize> for Registers<T> {
    type Output = [T];

    #[inline(always)]
    fn index(&self, index: usize) -> &[T] {
        self.0[index].lanes()
    }
}

impl<T: Word> IndexMut<usize> for Registers<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut [T] {
        self.0[index].lanes_mut()
    }
}

/// All registers of one width. 8- and 16-bit registers are words whose upper bits are zero.
#[derive(Debug, Default)]
pub(crate) struct File<T> {
    pub(crate) registers: Registers<T>,
    pub(crate) presets: Registers<T>,
    /// Where results go before they are merged into a register that is written in part.
    scratch: Column<T>,
}

impl<T: Word> File<T> {
    /// A file of so many registers, each of so many lanes.
    pub(crate) fn with_slots(slots: usize, lanes: usize) -> Self {
        Self {
            registers: Registers::new(slots, lanes),
            presets: Registers::default(),
            scratch: Column::new(lanes),
        }
    }
    #[inline(always)]
    fn register(&self, slot: Slot) -> &Register<T> {
        if slot & PRESET != 0 {
            &self.presets.0[usize::from(slot & !PRESET)]
        } else {
            &self.registers.0[usize::from(slot)]
        }
    }

    /// The lanes of a register.
    #[inline(always)]
    pub(crate) fn source(&self, slot: Slot) -> &[T] {
        self.register(slot).lanes()
    }

    /// The value of one lane of a register.
    #[inline(always)]
    pub(crate) fn lane(&self, slot: Slot, lane: usize) -> T {
        let register = self.register(slot);
        if register.has_row {
            register.row.at(lane)
        } else {
            register.lanes()[lane]
        }
    }

    /// The row that holds all lanes of a register, if there is one.
    #[inline(always)]
    pub(crate) fn row(&self, slot: Slot) -> Option<&Row<T>> {
        let register = self.register(slot);
        register.has_row.then_some(&register.row)
    }

    /// Makes a register a row: only for [`Lanes::whole`].
    #[inline(always)]
    pub(crate) fn set_row(&mut self, slot: Slot, row: Row<T>) {
        self.registers.set_row(usize::from(slot), row);
    }

    /// Moves a register's array out, so that it can be written while others are read. The decoder
    /// gives no instruction a destination that is also one of its sources.
    #[inline(always)]
    pub(crate) fn take(&mut self, slot: Slot) -> Column<T> {
        self.registers.0[usize::from(slot)].lanes();
        self.take_whole(slot)
    }

    /// As [`File::take`], if all lanes that matter will be written: holds anything.
    #[inline(always)]
    pub(crate) fn take_whole(&mut self, slot: Slot) -> Column<T> {
        let register = &mut self.registers.0[usize::from(slot)];
        register.has_row = false;
        match register.lanes.take() {
            Some(lanes) => lanes,
            None => register.spare.take(),
        }
    }
    #[inline(always)]
    pub(crate) fn take_scratch(&mut self) -> Column<T> {
        std::mem::take(&mut self.scratch)
    }
    #[inline(always)]
    pub(crate) fn give_scratch(&mut self, scratch: Column<T>) {
        self.scratch = scratch;
    }

    /// Puts back what was taken.
    #[inline(always)]
    pub(crate) fn give(&mut self, slot: Slot, lanes: Column<T>) {
        let before = std::mem::replace(
            &mut self.registers.0[usize::from(slot)].lanes,
            OnceCell::from(lanes),
        );
        // Empty since it was taken: there is nothing to free.
        std::mem::forget(before);
    }
}

/// `u32` or `u64`: what a register file is made of.
pub(crate) trait Word: Copy + Default + Eq + 'static {
    fn file(lanes: &Lanes) -> &File<Self>;
    fn file_mut(lanes: &mut Lanes) -> &mut File<Self>;
    /// The sum, modulo the width.
    fn plus(self, other: Self) -> Self;
    /// The difference, modulo the width.
    fn minus(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// As a signed number below zero.
    fn is_negative(self) -> bool;
    /// As a signed number so near to zero that eight such do not reach half of the width.
    fn is_small(self) -> bool;

    /// Copies the active lanes of `from` to `out`.
    #[inline(never)]
    fn merge(out: &mut [Self], from: &[Self], active: &Active) {
        for warp in active.first..active.last {
            let (at, mask) = (warp * WARP, active.mask[warp]);
            let (out, from) = (&mut out[at..at + WARP], &from[at..at + WARP]);
            for lane in 0..WARP {
                out[lane] = if mask & (1 << lane) != 0 {
                    from[lane]
                } else {
                    out[lane]
                };
            }
        }
    }
}

macro_rules! word_arithmetic {
    ($word:ty) => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            self & other
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            self | other
        }
        #[inline(always)]
        fn is_negative(self) -> bool {
            self >> (<$word>::BITS - 1) == 1
        }
        #[inline(always)]
        fn is_small(self) -> bool {
            const BOUND: $word = 1 << (<$word>::BITS - 5);
            self.wrapping_add(BOUND) < 2 * BOUND
        }
    };
}

impl Word for u32 {
    #[inline(always)]
    fn file(lanes: &Lanes) -> &File<Self> {
        &lanes.words
    }
    #[inline(always)]
    fn file_mut(lanes: &mut Lanes) -> &mut File<Self> {
        &mut lanes.words
    }
    word_arithmetic!(u32);
}

impl Word for u64 {
    #[inline(always)]
    fn file(lanes: &Lanes) -> &File<Self> {
        &lanes.longs
    }
    #[inline(always)]
    fn file_mut(lanes: &mut Lanes) -> &mut File<Self> {
        &mut lanes.longs
    }
    word_arithmetic!(u64);
}

/// A type in which an instruction computes, and how a register holds it.
pub(crate) trait Lane: Copy {
    type Bits: Word;
    const KIND: Kind;
    fn from_bits(bits: Self::Bits) -> Self;
    fn to_bits(self) -> Self::Bits;
    /// For integers as wide as their register whether `a <= b`; false for all others.
    fn in_order(a: Self::Bits, b: Self::Bits) -> bool;
}

macro_rules! lane {
    ($($ty:ty, $bits:ty, $kind:ident, $from:expr, $to:expr, $in_order:expr;)*) => {$(
        impl Lane for $ty {
            type Bits = $bits;
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                const FROM: fn($bits) -> $ty = $from;
                FROM(bits)
            }
            #[inline(always)]
            fn to_bits(self) -> $bits {
                const TO: fn($ty) -> $bits = $to;
                TO(self)
            }
            #[inline(always)]
            fn in_order(a: $bits, b: $bits) -> bool {
                const IN_ORDER: fn($bits, $bits) -> bool = $in_order;
                IN_ORDER(a, b)
            }
        }
    )*};
}

lane! {
    u32, u32, Bits32, |bits| bits, |value| value, |a, b| a <= b;
    i32, u32, Bits32, |bits| bits as i32, |value| value as u32, |a, b| a as i32 <= b as i32;
    u64, u64, Bits64, |bits| bits, |value| value, |a, b| a <= b;
    i64, u64, Bits64, |bits| bits as i64, |value| value as u64, |a, b| a as i64 <= b as i64;
    u16, u32, Bits16, |bits| bits as u16, |value| u32::from(value), |_, _| false;
    i16, u32, Bits16, |bits| bits as i16, |value| u32::from(value as u16), |_, _| false;
    f32, u32, Single, f32::from_bits, f32::to_bits, |_, _| false;
    f64, u64, Double, f64::from_bits, f64::to_bits, |_, _| false;
}
