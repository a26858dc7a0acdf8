//! Where one instruction's whole warps access, and how much that counts: those that are in order are admitted, all others are left. What is moved is in `transfer`.

use std::sync::atomic::AtomicU32;

use crate::counters::SECTOR_BYTES;
use crate::machine::inst::Inst;
use crate::machine::lanes::Lanes;
use crate::machine::pattern::Pattern;
use crate::machine::row::Row;
use crate::machine::world::{SiteCount, World};
use crate::memory::Buffer;
use crate::memory::cache::{HAS_HINTS, prefetch};
use crate::operations::memory::fast::steps::Warps;
use crate::program::kinds::{GROUP_WARPS, WARP};

/// Words between the first and the last warp's addresses, up to which they are taken as neighbours.
const NEIGHBOURS_WORDS: usize = 256;

/// The requests of one instruction: where each warp's go, in one buffer or in shared memory, and their counts.
pub(super) struct Plan<'a, const GLOBAL: bool, const WORDS: usize> {
    pub(super) site: usize,
    pub(super) is_store: bool,
    pub(super) buffer: Option<&'a Buffer>,
    /// Warps whose requests are in order, as bits.
    pub(super) done: u32,
    /// Index of each such warp's lowest word.
    pub(super) lowest: [usize; GROUP_WARPS],
    pub(super) sectors: u32,
    pub(super) wavefronts: u32,
    pub(super) bank_conflicts: u32,
    /// Sectors beyond the fewest.
    excess_sectors: u32,
    /// What the worst request of the site has so far.
    most_excess: u32,
}

impl<'a, const GLOBAL: bool, const WORDS: usize> Plan<'a, GLOBAL, WORDS> {
    const BYTES: u32 = 4 * WORDS as u32;
    /// Of a whole warp whose lanes lie side by side.
    const FEWEST_SECTORS: u32 = WARP as u32 * Self::BYTES / SECTOR_BYTES as u32;

    #[inline(always)]
    pub(super) fn new(world: &World<'a>, inst: &Inst, is_store: bool) -> Self {
        let site = world.program.accesses[inst.aux as usize].site as usize;
        let SiteCount {
            buffer: last,
            most_excess,
            ..
        } = world.sites[site];
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
            excess_sectors: 0,
            most_excess,
        }
    }

    /// Takes all whole warps whose addresses are in order.
    #[inline(always)]
    pub(super) fn admit_row(
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
                let first = row.base[warp].wrapping_add(offset);
                self.admit(world, first, (warp, lanes.first_warp), pattern);
            }
        }
    }

    /// Takes one warp if it is whole and its addresses are in order.
    #[inline(always)]
    pub(super) fn admit_lanes(
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
        let first = addresses[0].wrapping_add(offset);
        self.admit(world, first, (warp, lanes.first_warp), pattern)
    }

    /// The words of global memory that the warps taken access: none if none is.
    #[inline(always)]
    pub(super) fn words(&self) -> &'a [AtomicU32] {
        self.buffer.map_or(&[], |buffer| &buffer.words)
    }

    /// Counts a warp's request, if it is all within the buffer, or within the block's shared memory.
    #[inline(always)]
    fn admit(
        &mut self,
        world: &mut World<'a>,
        first: u64,
        (warp, first_warp): (usize, usize),
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
        let excess = if GLOBAL {
            let sectors = pattern.sectors(low);
            let excess = sectors.saturating_sub(Self::FEWEST_SECTORS);
            self.sectors += sectors;
            self.excess_sectors += excess;
            excess
        } else {
            let conflicts = pattern.wavefronts.bank_conflicts();
            self.wavefronts += pattern.wavefronts.taken;
            self.bank_conflicts += conflicts;
            conflicts
        };
        if excess > self.most_excess {
            self.most_excess = excess;
            let addresses = pattern.addresses(first);
            world.keep_worst(self.site, first_warp + warp, u32::MAX, excess, &addresses);
        }
        self.lowest[warp] = offset / 4;
        self.done |= 1 << warp;
        true
    }

    /// Leaves a warp to the slower way: its counts are taken back, since it is counted again there.
    pub(super) fn leave(&mut self, pattern: &mut Pattern, warp: usize) {
        self.done &= !(1 << warp);
        if GLOBAL {
            let sectors = pattern.sectors(4 * self.lowest[warp] as u64);
            self.sectors -= sectors;
            self.excess_sectors -= sectors.saturating_sub(Self::FEWEST_SECTORS);
        } else {
            self.wavefronts -= pattern.wavefronts.taken;
            self.bank_conflicts -= pattern.wavefronts.bank_conflicts();
        }
    }

    /// Fetches what the group will access next here, if it goes on in the same step.
    #[inline(always)]
    pub(super) fn prefetch(
        &self,
        lanes: &Lanes,
        world: &mut World,
        inst: &Inst,
        pattern: &Pattern,
    ) {
        let Some(buffer) = self
            .buffer
            .filter(|_| HAS_HINTS && GLOBAL && self.done != 0)
        else {
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
    pub(super) fn finish(self, world: &mut World) -> u32 {
        let requests = u64::from(self.done.count_ones());
        let count = &mut world.sites[self.site];
        count.executed += requests;
        count.requests += requests;
        count.sectors += u64::from(self.sectors);
        count.wavefronts += u64::from(self.wavefronts);
        count.bank_conflicts += u64::from(self.bank_conflicts);
        count.excess_sectors += u64::from(self.excess_sectors);
        count.lanes += requests * WARP as u64;
        self.done
    }

    pub(super) fn are_neighbours(&self, warps: u32) -> bool {
        let (mut low, mut high) = (usize::MAX, 0);
        for warp in Warps(warps) {
            low = low.min(self.lowest[warp]);
            high = high.max(self.lowest[warp]);
        }
        high.saturating_sub(low) <= NEIGHBOURS_WORDS
    }
}
