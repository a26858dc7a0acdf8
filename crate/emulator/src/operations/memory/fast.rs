//! Whole warps' accesses to words of global and shared memory, where nothing is out of the ordinary. All else
//! takes the slower way of `request`, with the same counts.
//!
//! A warp's addresses are its first lane's and a [`Pattern`], which is nearly always the same for all warps and all
//! times that an instruction runs: what depends on it alone is found out once.

use std::rc::Rc;
use std::sync::atomic::AtomicU32;

use crate::check::GroupTouch;
use crate::machine::inst::Inst;
use crate::machine::lanes::{Column, Lanes};
use crate::machine::pattern::{Pattern, RUN, RUNS};
use crate::machine::row::Row;
use crate::machine::world::World;
use crate::memory::Buffer;
use crate::memory::cache::prefetch;
use crate::memory::touches::Touch as Mark;
use crate::operations::memory::elements::Stored;
use crate::operations::memory::words::{BLOCK, Load, Store, load_runs, store_runs, turned};
use crate::program::Program;
use crate::program::access::{AccessShape, Strength};
use crate::program::kinds::{GROUP_WARPS, WARP};
use crate::report::Space;

/// Lanes of a group.
const LANES: usize = GROUP_WARPS * WARP;

/// Words between the first and the last warp's addresses, up to which they are taken as neighbours.
const NEIGHBOURS_WORDS: usize = 256;

/// How an instruction's whole warps are taken, if they can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    is_global: bool,
    words: u32,
}

/// Words of 32 or 64 bits, not sign-extended, in global or shared memory; nothing is traced.
#[inline(always)]
pub(super) fn form(shape: &AccessShape, world: &World) -> Option<Form> {
    let width = if shape.long { 8 } else { 4 };
    let is_simple = shape.element == width
        && matches!(shape.space, Some(Space::Global | Space::Shared))
        && world.trace.is_none()
        // Each warp is asked whether it has waited.
        && world.dependence.is_none()
        // The others of a cluster are asked for each access.
        && (world.cluster.is_none() || world.check.is_none())
        // What `malloc` gave ends anywhere: lane by lane.
        && (world.heap.is_none() || shape.space == Some(Space::Shared));
    is_simple.then(|| Form {
        is_global: shape.space == Some(Space::Global),
        words: shape.bytes() / 4,
    })
}

/// Loads for all whole warps; returns a bit for each warp that is done.
#[inline(always)]
pub(super) fn load<T: Stored>(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    form: Form,
) -> u32 {
    // Not a function with a closure: that would be compiled without the vector instructions.
    let mut taken = world.patterns[inst.aux as usize].take().unwrap_or_default();
    let pattern = &mut *taken;
    // Known when this is compiled: a register of 64 bits is two words or more.
    let is_word = size_of::<T>() == 4;
    let done = match (form.is_global, form.words) {
        (true, 1) if is_word => load_warps::<T, true, 1>(lanes, world, inst, pattern),
        (true, 2) => load_warps::<T, true, 2>(lanes, world, inst, pattern),
        (true, _) => load_warps::<T, true, 4>(lanes, world, inst, pattern),
        (false, 1) if is_word => load_warps::<T, false, 1>(lanes, world, inst, pattern),
        (false, 2) => load_warps::<T, false, 2>(lanes, world, inst, pattern),
        (false, _) => load_warps::<T, false, 4>(lanes, world, inst, pattern),
    };
    world.patterns[inst.aux as usize] = Some(taken);
    done
}

/// Stores for all whole warps; returns a bit for each warp that is done.
#[inline(always)]
pub(super) fn store<T: Stored>(lanes: &Lanes, world: &mut World, inst: &Inst, form: Form) -> u32 {
    // Not a function with a closure: that would be compiled without the vector instructions.
    let mut taken = world.patterns[inst.aux as usize].take().unwrap_or_default();
    let pattern = &mut *taken;
    // Known when this is compiled: a register of 64 bits is two words or more.
    let is_word = size_of::<T>() == 4;
    let done = match (form.is_global, form.words) {
        (true, 1) if is_word => store_warps::<T, true, 1>(lanes, world, inst, pattern),
        (true, 2) => store_warps::<T, true, 2>(lanes, world, inst, pattern),
        (true, _) => store_warps::<T, true, 4>(lanes, world, inst, pattern),
        (false, 1) if is_word => store_warps::<T, false, 1>(lanes, world, inst, pattern),
        (false, 2) => store_warps::<T, false, 2>(lanes, world, inst, pattern),
        (false, _) => store_warps::<T, false, 4>(lanes, world, inst, pattern),
    };
    world.patterns[inst.aux as usize] = Some(taken);
    done
}

#[inline(always)]
fn load_warps<T: Stored, const GLOBAL: bool, const WORDS: usize>(
    lanes: &mut Lanes,
    world: &mut World,
    inst: &Inst,
    pattern: &mut Pattern,
) -> u32 {
    let registers = 4 * WORDS / size_of::<T>();
    let mut plan = Plan::<GLOBAL, WORDS>::new(world, inst, false);
    let row = lanes.longs.row(inst.s[0]).copied();
    if let Some(row) = &row {
        plan.admit_row(lanes, world, row, inst.imm, pattern);
        plan.prefetch(lanes, world, inst, pattern);
        plan.watch(lanes, world, inst, pattern);
        let all = plan.done == plan.active(lanes) && lanes.whole;
        if all && pattern.same == WARP {
            for register in 0..registers {
                let value = if GLOBAL {
                    plan.uniform::<T>(plan.words(), register)
                } else {
                    plan.uniform::<T>(world.shared.as_slice(), register)
                };
                T::file_mut(lanes).set_row(inst.d[register], value);
            }
            return plan.finish(world);
        }
        if plan.done == 0 {
            return 0;
        }
    }
    let mut out: [Column<T>; 4] = Default::default();
    for (out, slot) in out.iter_mut().zip(inst.d).take(registers) {
        *out = if lanes.whole {
            T::file_mut(lanes).take_whole(slot)
        } else {
            T::file_mut(lanes).take(slot)
        };
    }
    if row.is_none() || !plan.load_woven(pattern, &mut out) {
        // All warps of a row at once, else one after the other: one loop, so that the loads are compiled once.
        let mut warp = lanes.active.first;
        while warp < lanes.active.last {
            let warps = if row.is_some() {
                plan.done
            } else {
                plan.take_lanes(lanes, world, inst, pattern, warp)
            };
            if GLOBAL {
                plan.load(plan.words(), warps, pattern, &mut out);
            } else {
                plan.load(world.shared.as_slice(), warps, pattern, &mut out);
            }
            warp = if row.is_some() { GROUP_WARPS } else { warp + 1 };
        }
    }
    for (out, slot) in out.into_iter().zip(inst.d).take(registers) {
        T::file_mut(lanes).give(slot, out);
    }
    plan.finish(world)
}

#[inline(always)]
fn store_warps<T: Stored, const GLOBAL: bool, const WORDS: usize>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    pattern: &mut Pattern,
) -> u32 {
    let registers = 4 * WORDS / size_of::<T>();
    let mut plan = Plan::<GLOBAL, WORDS>::new(world, inst, true);
    let mut sources: [&[T]; 4] = [&[]; 4];
    for (source, slot) in sources.iter_mut().zip(&inst.s[1..]).take(registers) {
        *source = T::file(lanes).source(*slot);
    }
    let row = lanes.longs.row(inst.s[0]);
    if let Some(row) = row {
        plan.admit_row(lanes, world, row, inst.imm, pattern);
        plan.prefetch(lanes, world, inst, pattern);
        plan.watch(lanes, world, inst, pattern);
        if plan.store_woven(pattern, &sources) {
            return plan.finish(world);
        }
    }
    // As for loads.
    let mut warp = lanes.active.first;
    while warp < lanes.active.last {
        let warps = if row.is_some() {
            plan.done
        } else {
            plan.take_lanes(lanes, world, inst, pattern, warp)
        };
        if GLOBAL {
            plan.store(plan.words(), warps, pattern, &sources);
        } else {
            plan.store(world.shared.as_mut_slice(), warps, pattern, &sources);
        }
        warp = if row.is_some() { GROUP_WARPS } else { warp + 1 };
    }
    plan.finish(world)
}

/// The requests of one instruction: where each warp's go, in one buffer or in shared memory, and their counts.
struct Plan<'a, const GLOBAL: bool, const WORDS: usize> {
    site: usize,
    is_store: bool,
    buffer: Option<&'a Buffer>,
    /// Warps whose requests are in order, as bits.
    done: u32,
    /// Index of each such warp's lowest word.
    lowest: [usize; GROUP_WARPS],
    sectors: u32,
    wavefronts: u32,
    bank_conflicts: u32,
}

impl<'a, const GLOBAL: bool, const WORDS: usize> Plan<'a, GLOBAL, WORDS> {
    const BYTES: u32 = 4 * WORDS as u32;

    #[inline(always)]
    fn new(world: &World<'a>, inst: &Inst, is_store: bool) -> Self {
        let site = world.program.accesses[inst.aux as usize].site as usize;
        let last = world.sites[site].buffer;
        let buffer = if GLOBAL {
            world.buffers.get(last).copied()
        } else {
            None
        };
        Self {
            site,
            is_store,
            buffer,
            done: 0,
            lowest: [0; GROUP_WARPS],
            sectors: 0,
            wavefronts: 0,
            bank_conflicts: 0,
        }
    }

    /// Warps with an active lane, as bits.
    #[inline(always)]
    fn active(&self, lanes: &Lanes) -> u32 {
        let masks = lanes.active.mask.iter().enumerate();
        masks.fold(0, |active, (warp, mask)| {
            active | u32::from(*mask != 0) << warp
        })
    }

    /// Takes all whole warps whose addresses are in order.
    #[inline(always)]
    fn admit_row(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        row: &Row<u64>,
        offset: u64,
        pattern: &mut Pattern,
    ) {
        pattern.follow_row(row, Self::BYTES, !GLOBAL, self.is_store);
        for warp in lanes.active.first..lanes.active.last {
            if lanes.active.mask[warp] == u32::MAX {
                self.admit(world, row.base[warp].wrapping_add(offset), warp, pattern);
            }
        }
    }

    /// Takes one warp if it is whole and its addresses are in order.
    #[inline(always)]
    fn admit_lanes(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        source: &[u64],
        offset: u64,
        warp: usize,
        pattern: &mut Pattern,
    ) -> bool {
        let addresses: &[u64; WARP] = match source[warp * WARP..][..WARP].try_into() {
            Ok(addresses) if lanes.active.mask[warp] == u32::MAX => addresses,
            _ => return false,
        };
        pattern.follow_lanes(addresses, Self::BYTES, !GLOBAL, self.is_store);
        self.admit(world, addresses[0].wrapping_add(offset), warp, pattern)
    }

    /// Takes one warp whose addresses are no row, unless the checks leave it to the slower way; its bit, if it is taken.
    #[inline(always)]
    fn take_lanes(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        inst: &Inst,
        pattern: &mut Pattern,
        warp: usize,
    ) -> u32 {
        let source = lanes.longs.source(inst.s[0]);
        let taken = self.admit_lanes(lanes, world, source, inst.imm, warp, pattern)
            && self.watch_warp(lanes, world, inst, pattern, warp);
        u32::from(taken) << warp
    }

    /// The words of global memory that the warps taken access: none if none is.
    #[inline(always)]
    fn words(&self) -> &'a [AtomicU32] {
        self.buffer.map_or(&[], |buffer| &buffer.words)
    }

    /// Shows the warps taken to the launch's checks, and leaves those to the slower way that these do not take.
    #[inline(always)]
    fn watch(&mut self, lanes: &Lanes, world: &mut World<'a>, inst: &Inst, pattern: &mut Pattern) {
        if world.check.is_some() && self.done != 0 {
            self.show_group(lanes, world, inst, pattern);
        }
        if GLOBAL && world.touches.is_some() {
            self.mark(world, pattern, self.done);
        }
    }

    /// Marks what these warps touch.
    #[inline(never)]
    fn mark(&self, world: &World, pattern: &Pattern, warps: u32) {
        let Some(touches) = world.touches else {
            return;
        };
        let (buffer, bytes) = (world.sites[self.site].buffer, pattern.run * 4 * WORDS);
        for warp in Warps(warps) {
            for lane in Chunks::of(pattern.run) {
                let first = self.lowest[warp] + pattern.words[lane] as usize;
                let mark = Mark {
                    is_store: self.is_store,
                    is_early: false,
                };
                touches.mark(buffer, 4 * first, bytes, mark);
            }
        }
    }

    /// The same for one warp; returns whether it is still taken.
    #[inline(always)]
    fn watch_warp(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        inst: &Inst,
        pattern: &mut Pattern,
        warp: usize,
    ) -> bool {
        if world.check.is_some() {
            self.show_warps(lanes, world, inst, pattern, 1 << warp);
        }
        if GLOBAL && world.touches.is_some() {
            self.mark(world, pattern, 1 << warp);
        }
        self.done & (1 << warp) != 0
    }

    #[inline(never)]
    fn show_group(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        inst: &Inst,
        pattern: &mut Pattern,
    ) {
        let words = Rc::clone(&pattern.words);
        let is_watched = self.is_watched(world, inst);
        if is_watched
            && let Some((first, runs)) = pattern.runs(&self.lowest, self.done, WORDS as u32)
            && (runs.distinct || !self.is_store)
            && let Some(shadow) = &mut world.check
        {
            let buffer = world.sites[self.site].buffer;
            let touch = self.touch(lanes, inst, world.program, (buffer, world.buffers), &words);
            if shadow.take_group(&touch, first, &mut runs.footprint) {
                return;
            }
        }
        self.show_warps(lanes, world, inst, pattern, self.done);
    }

    /// Shows warps one by one.
    #[inline(never)]
    fn show_warps(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        inst: &Inst,
        pattern: &mut Pattern,
        warps: u32,
    ) {
        let is_watched = self.is_watched(world, inst);
        let buffer = world.sites[self.site].buffer;
        for warp in Warps(warps) {
            let touch = self.touch(
                lanes,
                inst,
                world.program,
                (buffer, world.buffers),
                &pattern.words,
            );
            let taken = match &mut world.check {
                Some(shadow) if is_watched => shadow.take_warp(&touch, warp),
                _ => false,
            };
            if !taken {
                self.leave(pattern, warp);
            }
        }
    }

    /// Whether the checks may take this access in whole warps.
    #[inline(always)]
    fn is_watched(&self, world: &World, inst: &Inst) -> bool {
        let is_weak = world.program.accesses[inst.aux as usize].strength == Strength::Weak;
        is_weak && !(GLOBAL && world.is_heap(world.sites[self.site].buffer))
    }

    #[inline(always)]
    fn touch<'t>(
        &'t self,
        lanes: &Lanes,
        inst: &Inst,
        program: &Program,
        (buffer, buffers): (usize, &'t [&'t Buffer]),
        words: &'t Rc<[u32; WARP]>,
    ) -> GroupTouch<'t> {
        GroupTouch {
            place: inst.place,
            first_warp: lanes.first_warp,
            warps: self.done,
            buffer: GLOBAL.then(|| (buffer, buffers[buffer])),
            lowest: &self.lowest,
            words,
            words_per_lane: WORDS,
            is_store: self.is_store,
            is_constant: program.accesses[inst.aux as usize].is_constant,
        }
    }

    /// Leaves a warp to the slower way: its counts are taken back, since it is counted again there.
    fn leave(&mut self, pattern: &mut Pattern, warp: usize) {
        self.done &= !(1 << warp);
        if GLOBAL {
            self.sectors -= pattern.sectors(4 * self.lowest[warp] as u64);
        } else {
            self.wavefronts -= pattern.wavefronts.taken;
            self.bank_conflicts -= pattern.wavefronts.bank_conflicts();
        }
    }

    /// Counts a warp's request, if it is all within the buffer, or within the block's shared memory.
    #[inline(always)]
    fn admit(
        &mut self,
        world: &mut World<'a>,
        first: u64,
        warp: usize,
        pattern: &mut Pattern,
    ) -> bool {
        let Some((low, bytes)) = pattern.range(first, Self::BYTES) else {
            return false;
        };
        let offset = if GLOBAL {
            let known = self.buffer.and_then(|buffer| buffer.offset(low, bytes));
            match known {
                Some(offset) => offset,
                None if self.done == 0 => match world.find(self.site, low, bytes) {
                    Some((buffer, offset)) => {
                        self.buffer = Some(buffer);
                        offset
                    }
                    None => return false,
                },
                None => return false,
            }
        } else {
            if !world.has_shared(low, bytes as u64) {
                return false;
            }
            low as usize
        };
        if GLOBAL {
            self.sectors += pattern.sectors(low);
        } else {
            self.wavefronts += pattern.wavefronts.taken;
            self.bank_conflicts += pattern.wavefronts.bank_conflicts();
        }
        self.lowest[warp] = offset / 4;
        self.done |= 1 << warp;
        true
    }

    /// Fetches what the group will access next here, if it goes on in the same step.
    #[inline(always)]
    fn prefetch(&self, lanes: &Lanes, world: &mut World, inst: &Inst, pattern: &Pattern) {
        let Some(buffer) = self.buffer.filter(|_| GLOBAL && self.done != 0) else {
            return;
        };
        let now = self.lowest[self.done.trailing_zeros() as usize % GROUP_WARPS];
        let group = lanes.first_warp / GROUP_WARPS;
        let number = group * world.program.accesses.len() + inst.aux as usize;
        let last = std::mem::replace(&mut world.last_words[number], now);
        let step = now.wrapping_sub(last);
        if step == 0 {
            return;
        }
        let words = &*buffer.words;
        let warps = if pattern.is_sparse() && self.are_neighbours(self.done) {
            self.done & self.done.wrapping_neg()
        } else {
            self.done
        };
        for warp in Warps(warps) {
            let first = self.lowest[warp].wrapping_add(step);
            for from_lowest in pattern.lines() {
                prefetch(
                    words,
                    first.wrapping_add(*from_lowest as usize),
                    self.is_store,
                );
            }
        }
    }
    #[inline(always)]
    fn finish(self, world: &mut World) -> u32 {
        let requests = u64::from(self.done.count_ones());
        let count = &mut world.sites[self.site];
        count.executed += requests;
        count.requests += requests;
        count.sectors += u64::from(self.sectors);
        count.wavefronts += u64::from(self.wavefronts);
        count.bank_conflicts += u64::from(self.bank_conflicts);
        self.done
    }

    /// The row of a register of which all lanes load the same.
    #[inline(always)]
    fn uniform<T: Stored>(&self, words: impl Load, register: usize) -> Row<T> {
        let per_register = size_of::<T>() / 4;
        let mut base = [T::default(); GROUP_WARPS];
        for (warp, base) in base.iter_mut().enumerate() {
            if self.done & (1 << warp) != 0 {
                *base = word(words, self.lowest[warp] + register * per_register);
            }
        }
        Row::uniform(base)
    }

    /// Loads `WORDS` words for each lane of these warps.
    #[inline(always)]
    fn load<T: Stored>(
        &self,
        words: impl Load,
        warps: u32,
        pattern: &Pattern,
        out: &mut [Column<T>; 4],
    ) {
        let per_register = size_of::<T>() / 4;
        let registers = WORDS / per_register;
        let mut before: Option<usize> = None;
        for warp in Warps(warps) {
            let (first, at) = (self.lowest[warp], warp * WARP);
            // Warps that multiply by the same tile load the same of it.
            if let Some(before) = before.filter(|before| self.lowest[*before] == first) {
                for out in out.iter_mut().take(registers) {
                    out.copy_within(before * WARP..(before + 1) * WARP, at);
                }
                continue;
            }
            before = Some(warp);
            let words = words.part(first, pattern.length_words());
            if pattern.same >= 4 {
                for (register, out) in out.iter_mut().enumerate().take(registers) {
                    for lane in Chunks::of(pattern.same) {
                        let from = pattern.words[lane] as usize;
                        let value = word(words, from + register * per_register);
                        out[at + lane..][..pattern.same].fill(value);
                    }
                }
                continue;
            }
            if let (1, Some(out)) = (WORDS, T::as_words_mut(&mut out[0][at..at + WARP])) {
                if pattern.run < 4 {
                    for (out, from) in out.iter_mut().zip(pattern.words.iter()) {
                        *out = words.load(*from as usize);
                    }
                    continue;
                }
                for lane in Chunks::of(pattern.run) {
                    let from = pattern.words[lane] as usize;
                    words.load_run(from, &mut out[lane..][..pattern.run]);
                }
                continue;
            }
            let mut run = [[0u32; WORDS]; WARP];
            for lane in Chunks::of(pattern.run) {
                let from = pattern.words[lane] as usize;
                words.load_run(from, run[lane..][..pattern.run].as_flattened_mut());
            }
            if take_words_apart(&run, out, at) {
                continue;
            }
            take_apart::<T, WORDS, 0>(&run, out, at);
            take_apart::<T, WORDS, 1>(&run, out, at);
            take_apart::<T, WORDS, 2>(&run, out, at);
            take_apart::<T, WORDS, 3>(&run, out, at);
        }
    }

    /// Stores `WORDS` words for each lane of these warps.
    #[inline(always)]
    fn store<T: Stored>(
        &self,
        mut words: impl Store,
        warps: u32,
        pattern: &Pattern,
        sources: &[&[T]; 4],
    ) {
        let per_register = size_of::<T>() / 4;
        let registers = WORDS / per_register;
        for warp in Warps(warps) {
            let (first, at) = (self.lowest[warp], warp * WARP);
            let mut words = words.part(first, pattern.length_words());
            if pattern.run < 4 {
                for (register, source) in sources.iter().enumerate().take(registers) {
                    let source = &source[at..at + WARP];
                    for (value, from) in source.iter().zip(pattern.words.iter()) {
                        put(&mut words, *from as usize + register * per_register, *value);
                    }
                }
                continue;
            }
            if let (1, Some(source)) = (WORDS, T::as_words(&sources[0][at..at + WARP])) {
                for lane in Chunks::of(pattern.run) {
                    let from = pattern.words[lane] as usize;
                    words.store_run(from, &source[lane..][..pattern.run]);
                }
                continue;
            }
            let mut run = [[0u32; WORDS]; WARP];
            put_together::<T, WORDS, 0>(&mut run, sources, at);
            put_together::<T, WORDS, 1>(&mut run, sources, at);
            put_together::<T, WORDS, 2>(&mut run, sources, at);
            put_together::<T, WORDS, 3>(&mut run, sources, at);
            for lane in Chunks::of(pattern.run) {
                let from = pattern.words[lane] as usize;
                words.store_run(from, run[lane..][..pattern.run].as_flattened());
            }
        }
    }

    /// Loads for all warps at once where their words are woven into each other; false if that is not so.
    #[inline(always)]
    fn load_woven<T: Stored>(&self, pattern: &mut Pattern, out: &mut [Column<T>; 4]) -> bool {
        let Some(first) = self.woven(pattern) else {
            return false;
        };
        let words = self.words();
        let (Some(weave), Some(out)) = (
            pattern.weave(&self.lowest),
            T::as_words_mut(&mut out[0]).and_then(|out| <&mut [u32; LANES]>::try_from(out).ok()),
        ) else {
            return false;
        };
        let mut runs = [[0; RUN]; RUNS];
        if !load_runs(&words[first..], &weave.starts, &mut runs) {
            return false;
        }
        for (places, values) in weave.places.iter().zip(&runs) {
            for (place, value) in places.iter().zip(values) {
                out[usize::from(*place)] = *value;
            }
        }
        true
    }

    /// Stores for all warps at once where their words are woven into each other; false if that is not so.
    #[inline(always)]
    fn store_woven<T: Stored>(&self, pattern: &mut Pattern, sources: &[&[T]; 4]) -> bool {
        let Some(first) = self.woven(pattern) else {
            return false;
        };
        let words = self.words();
        let (Some(weave), Some(source)) = (
            pattern.weave(&self.lowest),
            T::as_words(sources[0]).and_then(|source| <&[u32; LANES]>::try_from(source).ok()),
        ) else {
            return false;
        };
        let mut runs = [[0; RUN]; RUNS];
        for (places, values) in weave.places.iter().zip(&mut runs) {
            for (place, value) in places.iter().zip(values) {
                *value = source[usize::from(*place)];
            }
        }
        store_runs(&words[first..], &weave.starts, &runs)
    }

    /// The lowest word of all, if all eight warps access single words near each other but each warp far and wide.
    #[inline(always)]
    fn woven(&self, pattern: &Pattern) -> Option<usize> {
        let may_be = GLOBAL
            && WORDS == 1
            && self.done == (1 << GROUP_WARPS) - 1
            && pattern.run < 4
            && pattern.is_sparse()
            && self.are_neighbours(self.done);
        may_be.then(|| self.lowest.iter().copied().fold(usize::MAX, usize::min))
    }

    fn are_neighbours(&self, warps: u32) -> bool {
        let (mut low, mut high) = (usize::MAX, 0);
        for warp in Warps(warps) {
            low = low.min(self.lowest[warp]);
            high = high.max(self.lowest[warp]);
        }
        high.saturating_sub(low) <= NEIGHBOURS_WORDS
    }
}

/// The register that starts at a word.
#[inline(always)]
fn word<T: Stored>(words: impl Load, at: usize) -> T {
    let high = if size_of::<T>() > 4 {
        words.load(at + 1)
    } else {
        0
    };
    T::joined(words.load(at), high)
}

// Loops over warps and lanes are written as such: the body of a closure would be compiled without the vector
// instructions.

/// The warps whose bits are set.
struct Warps(u32);

impl Iterator for Warps {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let warp = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (warp < GROUP_WARPS).then_some(warp)
    }
}

/// The first of so many lanes each.
struct Chunks {
    lane: usize,
    lanes: usize,
}

impl Chunks {
    #[inline(always)]
    fn of(lanes: usize) -> Self {
        Self { lane: 0, lanes }
    }
}

impl Iterator for Chunks {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = self.lane;
        self.lane += self.lanes;
        (lane < WARP).then_some(lane)
    }
}

/// Moves all registers of a vector load out of the words of each lane, if each is a word; else false.
#[inline(always)]
fn take_words_apart<T: Stored, const WORDS: usize>(
    run: &[[u32; WORDS]; WARP],
    out: &mut [Column<T>; 4],
    at: usize,
) -> bool {
    if size_of::<T>() != 4 {
        return false;
    }
    for (block, lanes) in run.as_chunks::<BLOCK>().0.iter().enumerate() {
        for (out, values) in out.iter_mut().zip(turned(lanes)) {
            let at = at + block * BLOCK;
            if let Some(out) = T::as_words_mut(&mut out[at..at + BLOCK]) {
                out.copy_from_slice(&values);
            }
        }
    }
    true
}

/// Moves register `REGISTER` of a vector load out of the words of each lane.
#[inline(always)]
fn take_apart<T: Stored, const WORDS: usize, const REGISTER: usize>(
    run: &[[u32; WORDS]; WARP],
    out: &mut [Column<T>; 4],
    at: usize,
) {
    let per_register = size_of::<T>() / 4;
    let first = REGISTER * per_register;
    if first < WORDS {
        for (out, words) in out[REGISTER][at..at + WARP].iter_mut().zip(run) {
            *out = T::joined(
                words[first],
                words[(first + per_register - 1).min(WORDS - 1)],
            );
        }
    }
}

/// Moves register `REGISTER` of a vector store into the words of each lane.
#[inline(always)]
fn put_together<T: Stored, const WORDS: usize, const REGISTER: usize>(
    run: &mut [[u32; WORDS]; WARP],
    sources: &[&[T]; 4],
    at: usize,
) {
    let per_register = size_of::<T>() / 4;
    let first = REGISTER * per_register;
    if first < WORDS {
        for (words, value) in run.iter_mut().zip(&sources[REGISTER][at..at + WARP]) {
            words[first] = value.low();
            if per_register > 1 && first + 1 < WORDS {
                words[first + 1] = value.high();
            }
        }
    }
}

/// Stores a register from a word on.
#[inline(always)]
fn put<T: Stored>(words: &mut impl Store, at: usize, value: T) {
    words.store(at, value.low());
    if size_of::<T>() > 4 {
        words.store(at + 1, value.high());
    }
}
