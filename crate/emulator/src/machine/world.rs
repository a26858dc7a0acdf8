//! What a worker holds beside registers: memory spaces, counters, findings, the trace.

use std::ops::Range;

use crate::check::{Around, BlockShadow, Touch};
use crate::counters::Counters;
use crate::machine::deciding::Deciding;
use crate::machine::dependence::Dependence;
use crate::machine::inst::Inst;
use crate::machine::neighbours::Neighbours;
use crate::machine::output::Output;
use crate::machine::pattern::Pattern;
use crate::machine::pending::Pending;
use crate::machine::spans::Spans;
use crate::machine::stage::Stage;
use crate::machine::steps::Recorder;
use crate::machine::wide::Wides;
use crate::machine::worst::WorstSeen;
use crate::memory::faults::{Fault, Faults};
use crate::memory::heap::{Heap, Miss};
use crate::memory::textures::Textures;
use crate::memory::touches::{Touch as Mark, Touches};
use crate::memory::{Buffer, is_shared, locate};
use crate::program::Program;
use crate::program::access::Strength;
use crate::program::kinds::{Mask, WARP, for_lanes};
use crate::report::{
    Access, BlockRuns, Detail, FindingKind, Handover, HandoverKind, Headway, Reach, Shuffle,
    ShuffleMode, Space,
};

/// Sums of one memory instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SiteCount {
    pub(crate) executed: u64,
    pub(crate) requests: u64,
    pub(crate) sectors: u64,
    pub(crate) wavefronts: u64,
    pub(crate) bank_conflicts: u64,
    /// Moved by bulk copies.
    pub(crate) bytes: u64,
    /// As in [`crate::report::Demand`], but for the sectors: those beyond the fewest.
    pub(crate) lanes: u64,
    pub(crate) excess_sectors: u64,
    pub(crate) addresses: u64,
    pub(crate) reach: Option<(u64, u64)>,
    /// What the worst request has beyond the fewest.
    pub(crate) most_excess: u32,
    /// Where the last access went: most go to the same buffer again.
    pub(crate) buffer: usize,
}

/// How often something was executed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Executions {
    pub(crate) warps: u64,
    /// Active lanes of these together.
    pub(crate) lanes: u64,
}

/// What is being recorded of one block.
#[derive(Debug)]
pub(crate) struct BlockTrace {
    pub(crate) warps: Option<Vec<u32>>,
    pub(crate) room: usize,
    pub(crate) accesses: Vec<Access>,
    pub(crate) shuffles: Vec<Shuffle>,
    pub(crate) handovers: Vec<Handover>,
    pub(crate) truncated: bool,
    /// Bounds of the block's global accesses by site, where they are asked for.
    pub(crate) reach: Option<Vec<Reach>>,
    /// What machine code does together, and how often each basic block runs, where that is asked for.
    pub(crate) wides: Option<(Wides, Vec<BlockRuns>)>,
    /// A warp that is followed step by step.
    pub(crate) steps: Option<Box<Recorder>>,
}

impl BlockTrace {
    /// Whether this warp is traced.
    fn has(&self, warp: u32) -> bool {
        self.warps
            .as_ref()
            .is_none_or(|warps| warps.contains(&warp))
    }

    fn extend_reach(&mut self, request: &Recorded) {
        let Some(reach) = &mut self.reach else { return };
        let active = (0..WARP).filter(|lane| request.mask & (1 << lane) != 0);
        for address in active.map(|lane| request.addresses[lane]) {
            let (site, end) = (
                request.site,
                address.saturating_add(u64::from(request.access_bytes)),
            );
            match reach.iter_mut().find(|reach| reach.site == site) {
                Some(reach) => {
                    reach.first = reach.first.min(address);
                    reach.end = reach.end.max(end);
                }
                None => reach.push(Reach {
                    site,
                    first: address,
                    end,
                }),
            }
        }
    }
}

/// An access as the trace records it.
pub(crate) struct Recorded<'r> {
    pub(crate) site: usize,
    pub(crate) space: Space,
    pub(crate) is_store: bool,
    pub(crate) access_bytes: u32,
    /// Warp in the block.
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    pub(crate) addresses: &'r [u64; WARP],
}

/// A shuffle as the trace records it.
pub(crate) struct RecordedShuffle<'r> {
    pub(crate) place: u32,
    /// Warp in the block.
    pub(crate) warp: usize,
    pub(crate) active: u32,
    pub(crate) mode: ShuffleMode,
    /// The lane whose value each lane takes.
    pub(crate) from: &'r [u8; WARP],
    /// The lanes for which the lane that they name lies within their segment.
    pub(crate) inside: u32,
}

/// Lanes whose wait at an mbarrier has just been in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocked {
    pub(crate) waiting: Mask,
    /// Address of the mbarrier of one of them.
    pub(crate) barrier: u32,
}

/// One worker's view of the device while it runs blocks.
pub(crate) struct World<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: &'a [Inst],
    /// Global memory, sorted by address.
    pub(crate) buffers: &'a [&'a Buffer],
    /// Sorted by handle.
    pub(crate) textures: &'a Textures,
    pub(crate) constants: &'a [u32],
    pub(crate) params: &'a [u32],
    pub(crate) shared: Vec<u32>,
    pub(crate) shared_bytes: u32,
    /// Where no variable is, between them: only in a checked launch.
    pub(crate) shared_gaps: Vec<Range<u64>>,
    /// The bytes that a block finds written, with zeros.
    pub(crate) shared_given: Range<usize>,
    pub(crate) sites: Vec<SiteCount>,
    /// The worst request of each site that has one with more than it needs.
    pub(crate) worst: Vec<Option<Box<WorstSeen>>>,
    /// How the lanes of each access lay to each other when it last ran.
    pub(crate) patterns: Vec<Option<Box<Pattern>>>,
    /// Where each group's accesses to global memory went when they last ran, in words: group by group.
    pub(crate) last_words: Vec<usize>,
    /// What instructions count beside what their site shows.
    pub(crate) beside: Counters,
    pub(crate) faults: Faults,
    /// Number of the block, x fastest.
    pub(crate) block: u64,
    pub(crate) block_id: [u32; 3],
    pub(crate) warp_instructions: u64,
    /// The executions of each basic block.
    pub(crate) block_runs: Vec<Executions>,
    /// Active lanes of guarded instructions that are counted by themselves.
    pub(crate) guarded_lanes: Vec<u64>,
    /// By place of a branch, the warps that it has split.
    pub(crate) splits: Vec<u64>,
    /// Warp instructions when the block started, and the same as its clock has it.
    pub(crate) begun: u64,
    pub(crate) clock_start: u64,
    pub(crate) trace: Option<BlockTrace>,
    /// Where the bytes that the launch touches are marked, if anybody asked for them.
    pub(crate) touches: Option<&'a Touches>,
    /// How the block stands to the grid before its own, in a programmatic dependent launch of which touched bytes are asked
    /// for.
    pub(crate) dependence: Option<Box<Dependence>>,
    pub(crate) stage: Stage,
    /// Counts accesses by which warps of a block may wait for each other (volatile loads, atomics).
    pub(crate) waits: u64,
    /// Counts what changes memory: stores, and atomics that leave another value.
    pub(crate) changes: u64,
    /// Stores count as changes only if they leave another value, and what is accessed is noted: it takes longer.
    pub(crate) is_exact: bool,
    /// What loads and stores have accessed since that began.
    pub(crate) spans: Spans,
    /// What decides where lanes go that go round a loop, as far as it was asked for.
    pub(crate) deciding: Deciding,
    /// A store has left another value since this was last cleared; only kept where stores go lane by lane.
    pub(crate) has_changed: bool,
    /// The block's asynchronous copies.
    pub(crate) pending: Pending,
    /// Set by a wait in vain; the strand that executed it takes it.
    pub(crate) blocked: Option<Blocked>,
    /// What a checked launch watches.
    pub(crate) check: Option<Box<BlockShadow<'a>>>,
    /// The other blocks of the cluster, if there are any.
    pub(crate) cluster: Option<Box<Neighbours<'a>>>,
    /// What the finding that stops the block has to say.
    pub(crate) detail: crate::report::Detail,
    pub(crate) output: Output,
    pub(crate) heap: Option<&'a Heap>,
    /// Where it is kept how far the launch is, if somebody watches it.
    pub(crate) headway: Option<&'a Headway>,
}

impl<'a> World<'a> {
    /// The buffer that holds `bytes` from `address`, and the offset there.
    #[inline(always)]
    pub(crate) fn find(
        &mut self,
        site: usize,
        address: u64,
        bytes: usize,
    ) -> Option<(&'a Buffer, usize)> {
        if let Some(buffer) = self.buffers.get(self.sites[site].buffer)
            && let Some(offset) = buffer.offset(address, bytes)
        {
            return Some((buffer, offset));
        }
        self.search(site, address, bytes)
    }

    #[cold]
    fn search(&mut self, site: usize, address: u64, bytes: usize) -> Option<(&'a Buffer, usize)> {
        let (index, offset) = locate(self.buffers, address, bytes)?;
        self.sites[site].buffer = index;
        Some((self.buffers[index], offset))
    }

    /// Whether so many bytes of shared memory are the block's.
    #[inline(always)]
    pub(crate) fn has_shared(&self, address: u64, bytes: u64) -> bool {
        is_shared(address, bytes, self.shared_bytes, &self.shared_gaps)
    }

    /// How often the block has changed memory, mbarriers and copies included.
    pub(crate) fn all_changes(&self) -> u64 {
        self.changes + self.pending.changes
    }

    /// Whether a buffer is the heap of device code.
    #[inline(always)]
    pub(crate) fn is_heap(&self, buffer: usize) -> bool {
        self.heap.is_some() && buffer + 1 == self.buffers.len()
    }

    /// What is wrong with an access to a buffer that may be the heap of device code: it does not lie in memory that
    /// `malloc` has given and `free` not taken.
    pub(crate) fn heap_fault(
        &self,
        site: usize,
        address: u64,
        bytes: u64,
    ) -> Option<(FindingKind, Detail)> {
        if !self.is_heap(self.sites[site].buffer) {
            return None;
        }
        Some(match self.heap?.miss(address, bytes)? {
            Miss::Freed(start) => (FindingKind::InvalidAddress, Detail::Freed { start }),
            Miss::Past(before) => (FindingKind::OutOfBounds, Detail::Heap { before }),
        })
    }

    /// Whether anything was found in the block.
    pub(crate) fn has_found(&self) -> bool {
        let of_check = self.check.as_ref();
        self.faults.of_block() > 0 || of_check.is_some_and(|shadow| shadow.has_raced())
    }

    /// Records what one thread did wrong.
    #[cold]
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.faults.note(fault);
    }

    /// Shows the launch's shadow an access that is about to be done, if the launch is checked.
    #[inline(always)]
    pub(crate) fn touch(&mut self, touch: &Touch, strength: Strength) {
        if touch.space == Space::Shared && self.cluster.is_some() {
            self.touch_own_of_cluster(touch, strength);
        }
        if let Some((shadow, mut around)) = self.shadow() {
            shadow.touch(touch, strength, &mut around);
        }
    }

    /// Notes a request of the lanes in `mask` that takes `excess` more than the fewest of what its memory is counted by.
    /// `warp` is the warp in the block.
    #[inline(always)]
    pub(crate) fn weigh(
        &mut self,
        (site, warp): (usize, usize),
        (addresses, mask): (&[u64; WARP], u32),
        excess: u32,
    ) {
        let count = &mut self.sites[site];
        count.lanes += u64::from(mask.count_ones());
        if excess > count.most_excess {
            self.keep_worst(site, warp, mask, excess, addresses);
        }
    }

    /// Notes the worst request of a site so far.
    #[cold]
    #[inline(never)]
    pub(crate) fn keep_worst(
        &mut self,
        site: usize,
        warp: usize,
        mask: u32,
        excess: u32,
        addresses: &[u64; WARP],
    ) {
        self.sites[site].most_excess = excess;
        self.worst[site] = Some(Box::new(WorstSeen {
            excess,
            block: self.block,
            warp: warp as u32,
            mask,
            addresses: *addresses,
        }));
    }

    /// The launch's shadow, if it is checked, and what that sees.
    #[inline(always)]
    pub(crate) fn shadow(&mut self) -> Option<(&mut BlockShadow<'a>, Around<'_>)> {
        let shadow = self.check.as_deref_mut()?;
        let around = Around {
            buffers: self.buffers,
            heap: self.heap,
            program: self.program,
            shared: &self.shared,
            shared_bytes: self.shared_bytes,
            shared_gaps: &self.shared_gaps,
            faults: &mut self.faults,
        };
        Some((shadow, around))
    }

    /// Marks what a warp's access to global memory touches, as far as it lies in a buffer.
    #[cold]
    pub(crate) fn mark(
        &mut self,
        (site, warp): (usize, usize),
        (addresses, mask): (&[u64; WARP], u32),
        bytes: u32,
        is_store: bool,
    ) {
        let early = self.early(warp, mask);
        for (mask, is_early) in [(mask & !early, false), (early, true)] {
            let mark = Mark { is_store, is_early };
            self.mark_lanes(site, (addresses, mask), bytes, mark);
        }
    }

    /// Those of a warp's lanes that may run while the grid before does.
    pub(crate) fn early(&self, warp: usize, mask: u32) -> u32 {
        let dependence = self.dependence.as_ref();
        dependence.map_or(0, |dependence| dependence.early(warp, mask))
    }

    fn mark_lanes(
        &mut self,
        site: usize,
        (addresses, mask): (&[u64; WARP], u32),
        bytes: u32,
        mark: Mark,
    ) {
        // Lanes that lie side by side are marked at once.
        let mut run = 0..0;
        for_lanes(mask, |lane| {
            let address = addresses[lane];
            if address == run.end && run.start < run.end {
                run.end = address.saturating_add(u64::from(bytes));
            } else {
                self.mark_range(site, run.clone(), bytes, mark);
                run = address..address.saturating_add(u64::from(bytes));
            }
        });
        self.mark_range(site, run, bytes, mark);
    }

    /// Marks bytes of global memory; accesses of `each` bytes lie side by side there, and some may be past a buffer's end.
    pub(crate) fn mark_range(&mut self, site: usize, range: Range<u64>, each: u32, mark: Mark) {
        let Some(touches) = self.touches.filter(|_| !range.is_empty()) else {
            return;
        };
        let bytes = (range.end - range.start) as usize;
        if let Some((_, offset)) = self.find(site, range.start, bytes) {
            return touches.mark(self.sites[site].buffer, offset, bytes, mark);
        }
        for address in range.step_by(each.max(1) as usize) {
            if let Some((_, offset)) = self.find(site, address, each as usize) {
                touches.mark(self.sites[site].buffer, offset, each as usize, mark);
            }
        }
    }

    /// What is recorded of a warp that is followed step by step, if one of this block is.
    pub(crate) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.trace.as_mut()?.steps.as_deref_mut()
    }

    /// Records an access if this block and warp are traced; in a block with a warp that is followed, in that warp's step.
    #[cold]
    pub(crate) fn record(&mut self, request: &Recorded) {
        let Recorded {
            site,
            space,
            is_store,
            access_bytes,
            warp,
            mask,
            addresses,
        } = *request;
        let block = self.block_id;
        let Some(trace) = &mut self.trace else { return };
        if space == Space::Global {
            trace.extend_reach(request);
        }
        if let Some((wides, _)) = &mut trace.wides {
            wides.note(request);
        }
        let warp = warp as u32;
        let is_followed = trace.steps.is_some();
        if !is_followed && !trace.has(warp) {
            return;
        }
        if !is_followed && trace.accesses.len() >= trace.room {
            trace.truncated = true;
            return;
        }
        let mut lanes = [None; WARP];
        for (lane, address) in lanes.iter_mut().enumerate() {
            *address = (mask & (1 << lane) != 0).then(|| addresses[lane]);
        }
        // The order is filled in when the block is done: a warp's accesses are recorded in order.
        let access = Access {
            site,
            block,
            warp,
            order: 0,
            space,
            is_store,
            access_bytes,
            addresses: lanes,
        };
        if let Some(steps) = &mut trace.steps {
            steps.access(access);
            return;
        }
        trace.accesses.push(access);
    }

    /// Records what a warp gives to the copy engine or the tensor cores, or waits for, if it is traced.
    #[cold]
    pub(crate) fn record_handover(&mut self, place: u32, warp: usize, what: HandoverKind) {
        let (block, warp) = (self.block_id, warp as u32);
        let rank = self.cluster.as_ref().map_or(0, |cluster| cluster.rank);
        let ptx_line = self.program.ptx_line(place);
        let Some(trace) = self.trace.as_mut().filter(|trace| trace.has(warp)) else {
            return;
        };
        if trace.handovers.len() >= trace.room {
            trace.truncated = true;
            return;
        }
        trace.handovers.push(Handover {
            ptx_line,
            block,
            rank,
            warp,
            what,
        });
    }

    /// Records a shuffle if this block and warp are traced.
    #[cold]
    pub(crate) fn record_shuffle(&mut self, shuffle: &RecordedShuffle) {
        let (block, program) = (self.block_id, self.program);
        let warp = shuffle.warp as u32;
        let Some(trace) = self.trace.as_mut().filter(|trace| trace.has(warp)) else {
            return;
        };
        if trace.shuffles.len() >= trace.room {
            trace.truncated = true;
            return;
        }
        let is_active = |lane: usize| shuffle.active & (1 << lane) != 0;
        let before = trace.shuffles.iter().filter(|other| other.warp == warp);
        trace.shuffles.push(Shuffle {
            ptx_line: program.ptx_line(shuffle.place),
            source: program.source(shuffle.place),
            block,
            warp,
            order: before.count() as u32,
            mode: shuffle.mode,
            from: std::array::from_fn(|lane| is_active(lane).then_some(shuffle.from[lane])),
            kept: shuffle.active & !shuffle.inside,
        });
    }
}
