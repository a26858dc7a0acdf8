//! What blocks did to global memory, as far as other blocks race by it, and which bytes have been written.
//!
//! Blocks run in any order on any number of host threads. A first pass only finds out whether any of them meet, by a
//! bit for each granule and kind of deed. If they do, the launch is taken back and blocks run in order: then all that
//! they do is compared, and what is found does not depend on chance. Where blocks wait for each other they run in order
//! at once, and each access is compared with the earlier ones.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::check::clocks::{Clocks, each};
use crate::check::marks::SEGMENT;
use crate::check::order::{Acquired, Order};
use crate::check::pages::{PAGE, Page};
use crate::check::seen::Seen;
use crate::check::segments::DEED_KINDS;
use crate::check::told::{Entry, Pair};
use crate::check::undo::Undo;
use crate::memory::Buffer;
use crate::memory::cache::prefetch;
use crate::memory::initialised::Initialised;
use crate::program::Program;
use crate::program::observation::Observation;

/// Words of a line of the host's cache.
const LINE_WORDS: usize = 16;

#[derive(Debug)]
struct BufferShadow {
    base: u64,
    /// What has been written before the launch.
    before: Initialised,
    seen: Seen,
    /// Of blocks in order.
    pages: Vec<Page>,
}

/// The shadow of global memory during one launch.
#[derive(Debug)]
pub(crate) struct GridShadow {
    buffers: Vec<BufferShadow>,
    pub(super) granule: u32,
    /// Whether this pass only finds out if blocks meet.
    is_first: bool,
    /// Blocks met: the launch has to be taken back.
    suspect: AtomicBool,
    /// What the first pass overwrote.
    undo: Mutex<Vec<Undo>>,
    /// Present if blocks may wait for each other, or know of each other otherwise.
    pub(super) order: Option<Mutex<Order>>,
    pub(super) observation: Observation,
}

impl GridShadow {
    /// Of a launch's buffers, whose knowledge of what is initialised it takes until [`GridShadow::give_back`]. If the
    /// launch can be taken back, there are two passes.
    pub(crate) fn new(
        buffers: &[&Buffer],
        program: &Program,
        ordered: bool,
        may_repeat: bool,
    ) -> Self {
        let is_first = may_repeat && !ordered;
        let granule = crate::check::granule(program);
        let observation = program.observation.clone();
        let ordered = ordered || !is_first && observation.has_observers();
        let shadow = |buffer: &&Buffer| {
            let before = buffer.take_initialised();
            let segments = buffer.bytes.div_ceil(SEGMENT * granule as usize);
            // Of a buffer that nothing has written it is known what it holds.
            let is_kept = is_first && before != Initialised::None;
            let mut shadow = BufferShadow {
                base: buffer.base,
                before,
                seen: Seen::new(segments, if is_kept { segments } else { 0 }),
                pages: Vec::new(),
            };
            if !is_first {
                shadow.open_pages();
            }
            shadow
        };
        Self {
            buffers: buffers.iter().map(shadow).collect(),
            granule,
            is_first,
            suspect: AtomicBool::new(false),
            undo: Mutex::default(),
            order: ordered.then(Mutex::default),
            observation,
        }
    }

    /// Whether this pass only finds out if blocks meet.
    #[inline(always)]
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// A segment's number in its buffer.
    #[inline(always)]
    fn number(&self, shadow: &BufferShadow, segment: u64) -> usize {
        (segment - shadow.base / self.segment_bytes()) as usize
    }

    #[inline(always)]
    fn segment_bytes(&self) -> u64 {
        (SEGMENT as u64) << self.granule.trailing_zeros()
    }

    // ---- the first pass ----

    /// Soon a block of the first pass will claim a segment, if it stores, and say what it did there.
    #[inline(always)]
    pub(super) fn expect(&self, (index, buffer): (usize, &Buffer), segment: u64, stores: bool) {
        let shadow = &self.buffers[index];
        let number = self.number(shadow, segment);
        shadow.seen.expect(number);
        if stores && shadow.before != Initialised::None {
            let words = SEGMENT * self.granule as usize / 4;
            for line in (0..words).step_by(LINE_WORDS) {
                prefetch(&buffer.words, number * words + line, true);
            }
        }
    }

    /// A block of the first pass is about to write to a segment for the first time: what it held is taken down.
    #[inline(always)]
    pub(super) fn claim(&self, (index, buffer): (usize, &Buffer), segment: u64, undo: &mut Undo) {
        let shadow = &self.buffers[index];
        let number = self.number(shadow, segment);
        if shadow.before != Initialised::None && !shadow.seen.is_kept(number) {
            undo.note(index, buffer, number);
            if shadow.seen.keep(number) {
                undo.withdraw();
            }
        }
    }

    /// A block of the first pass has ended: what it did to the granules of a segment, by deed.
    #[inline(always)]
    pub(super) fn see(&self, index: usize, segment: u64, deeds: &[u32; DEED_KINDS]) {
        let shadow = &self.buffers[index];
        if shadow.seen.add(self.number(shadow, segment), deeds) {
            self.suspect.store(true, Relaxed);
        }
    }

    /// A host thread has run its blocks; this is what they overwrote.
    pub(super) fn keep(&self, undo: Undo) {
        let mut all = self.undo.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(undo);
    }

    /// Whether blocks met, so that the order in which they ran may have changed what they did.
    pub(crate) fn is_suspect(&self) -> bool {
        self.is_first && self.suspect.load(Relaxed)
    }

    /// Takes the launch back: memory is as before, and so is what is known of it. Blocks will run in order.
    pub(crate) fn take_back(&mut self, buffers: &[&Buffer]) {
        self.is_first = false;
        // Which of them observed which is known only as they come.
        self.order = self.observation.has_observers().then(Mutex::default);
        let undo = self.undo.get_mut().unwrap_or_else(PoisonError::into_inner);
        for undo in undo.drain(..) {
            undo.restore(buffers);
        }
        let words = SEGMENT * self.granule as usize / 4;
        for (shadow, buffer) in self.buffers.iter_mut().zip(buffers) {
            if shadow.before == Initialised::None {
                let segments = shadow.seen.all_written().enumerate();
                let written = segments.filter(|(_, written)| *written != 0);
                written.for_each(|(segment, _)| buffer.restore(segment * words, words));
            }
            shadow.seen = Seen::new(shadow.seen.segments(), 0);
            shadow.open_pages();
        }
    }

    // ---- blocks in order ----

    /// A block is about to write to granules of a segment for the first time: the values that earlier blocks have
    /// stored there are kept, if any did.
    pub(super) fn keep_values(&self, (index, buffer): (usize, &Buffer), segment: u64, mask: u32) {
        if self.order.is_none() {
            let shadow = &self.buffers[index];
            let number = self.number(shadow, segment);
            let words = &buffer.words[number * SEGMENT * self.granule as usize / 4..];
            shadow.pages[number / PAGE].keep_values(number % PAGE, mask, words, self.granule);
        }
    }

    /// Adds a deed; `values` are those stored, `clocks` what the block's warps know of. Returns its races if blocks are in
    /// order.
    pub(super) fn tell(
        &self,
        (buffer, segment): (usize, u64),
        entry: Entry,
        values: &[u32],
        clocks: &Clocks,
    ) -> Vec<Pair> {
        let shadow = &self.buffers[buffer];
        let number = self.number(shadow, segment);
        let (page, at) = (&shadow.pages[number / PAGE], number % PAGE);
        if entry.deed.writes() {
            shadow.seen.write(number, entry.mask);
        }
        let Some(order) = &self.order else {
            page.tell(at, entry, values);
            return Vec::new();
        };
        let order = order.lock().unwrap_or_else(PoisonError::into_inner);
        let acquired = Acquired {
            order: &order,
            clocks,
            observation: &self.observation,
        };
        let place = (segment * self.segment_bytes(), self.granule);
        page.tell_in_order(at, entry, values, acquired, place)
    }

    /// The races of a launch whose blocks do not wait for each other, in the order of addresses.
    pub(super) fn races(&self) -> Vec<Pair> {
        let mut races = Vec::new();
        if self.order.is_some() {
            return races;
        }
        let page_bytes = PAGE as u64 * self.segment_bytes();
        for shadow in &self.buffers {
            for (number, page) in shadow.pages.iter().enumerate() {
                let address = shadow.base + number as u64 * page_bytes;
                page.races(address, self.granule, &mut races);
            }
        }
        races
    }

    // ---- what has been written ----

    /// Whether all of a buffer held something before the launch.
    #[inline(always)]
    pub(super) fn is_all_initialised(&self, buffer: usize) -> bool {
        matches!(self.buffers[buffer].before, Initialised::All)
    }

    /// Whether granules of a segment held something before the launch, or since an earlier block stored there if blocks
    /// run one after the other. (If another block stores there in the first pass, the launch is taken back.)
    #[inline]
    pub(super) fn is_initialised(&self, buffer: usize, segment: u64, mask: u32) -> bool {
        let shadow = &self.buffers[buffer];
        let number = self.number(shadow, segment);
        let granule = self.granule as usize;
        let covers = |first: usize, count: usize| {
            let start = (number * SEGMENT + first) * granule;
            shadow.before.covers(start, count * granule)
        };
        let (first, after) = (mask.trailing_zeros(), 32 - mask.leading_zeros());
        if covers(first as usize, after.saturating_sub(first) as usize) {
            return true;
        }
        let written = if self.is_first {
            0
        } else {
            shadow.seen.written(number)
        };
        each(mask & !written).all(|at| covers(at, 1))
    }

    /// Whether a byte of a buffer held something before the launch.
    pub(super) fn held(&self, buffer: usize, offset: usize) -> bool {
        self.buffers[buffer].before.covers(offset, 1)
    }

    /// Tells the buffers what this launch has written.
    pub(crate) fn give_back(self, buffers: &[&Buffer]) {
        for (shadow, buffer) in self.buffers.into_iter().zip(buffers) {
            let mut state = shadow.before;
            if state != Initialised::All {
                let written: Vec<u32> = shadow.seen.all_written().collect();
                state.merge(&written, self.granule as usize, buffer.bytes);
            }
            buffer.put_initialised(state);
        }
    }
}

impl BufferShadow {
    /// Blocks will run in order.
    fn open_pages(&mut self) {
        let pages = self.seen.segments().div_ceil(PAGE);
        self.pages.resize_with(pages, Page::default);
    }
}
