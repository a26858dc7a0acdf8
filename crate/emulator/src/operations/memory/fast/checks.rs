//! Shows whole warps' accesses to the launch's checks, and marks the bytes that they touch; a warp that the checks do not take is left to the slower way.

use std::rc::Rc;

use crate::check::GroupTouch;
use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::machine::pattern::Pattern;
use crate::machine::world::World;
use crate::memory::Buffer;
use crate::memory::touches::Touch as Mark;
use crate::operations::memory::fast::plan::Plan;
use crate::operations::memory::fast::steps::{Chunks, Warps};
use crate::program::Program;
use crate::program::access::Strength;
use crate::program::kinds::WARP;

impl<'a, const GLOBAL: bool, const WORDS: usize> Plan<'a, GLOBAL, WORDS> {
    /// Takes one warp whose addresses are no row, unless the checks leave it to the slower way; its bit, if it is taken.
    #[inline(always)]
    pub(super) fn take_lanes(
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

    /// Shows the warps taken to the launch's checks, and leaves those to the slower way that these do not take.
    #[inline(always)]
    pub(super) fn watch(
        &mut self,
        lanes: &Lanes,
        world: &mut World<'a>,
        inst: &Inst,
        pattern: &mut Pattern,
    ) {
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
}
