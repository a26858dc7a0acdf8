//! What blocks did to global memory, as far as other blocks race by it, and which bytes have been written.
//!
//! Blocks run in any order on any number of host threads. A first pass only finds out whether any of them meet, by a
//! bit for each granule and kind of deed. If they do, the launch is taken back and blocks run in order: then all that
//! they do is compared, and what is found does not depend on chance. Where blocks wait for each other they run in order
//! at once, and each access is compared with the earlier ones.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::check::marks::SEGMENT;
use crate::check::order::Order;
use crate::check::pages::Page;
use crate::check::seen::PAGE;
use crate::check::segments::DEED_KINDS;
use crate::check::told::{Entry, Pair};
use crate::check::undo::Undo;
use crate::memory::Buffer;
use crate::memory::initialised::Initialised;

#[derive(Debug)]
struct BufferShadow {
    base: u64,
    pages: Vec<Page>,
    before: Initialised,
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
    /// Present if blocks may wait for each other.
    pub(super) order: Option<Mutex<Order>>,
}

impl GridShadow {
    /// Of a launch's buffers, whose knowledge of what is initialised it takes until [`GridShadow::give_back`]. If the
    /// launch can be taken back, there are two passes.
    pub(crate) fn new(buffers: &[&Buffer], granule: u32, ordered: bool, may_repeat: bool) -> Self {
        let shadow = |buffer: &&Buffer| {
            let pages = buffer.bytes.div_ceil(PAGE * SEGMENT * granule as usize);
            BufferShadow {
                base: buffer.base,
                pages: std::iter::repeat_with(Page::default).take(pages).collect(),
                before: buffer.take_initialised(),
            }
        };
        Self {
            buffers: buffers.iter().map(shadow).collect(),
            granule,
            is_first: may_repeat && !ordered,
            suspect: AtomicBool::new(false),
            undo: Mutex::default(),
            order: ordered.then(Mutex::default),
        }
    }

    /// Whether this pass only finds out if blocks meet.
    #[inline(always)]
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The page of a segment, the segment's number there, and its offset in the buffer in bytes.
    #[inline(always)]
    fn place<'s>(
        &self,
        shadow: &'s BufferShadow,
        segment: u64,
    ) -> Option<(&'s Page, usize, usize)> {
        let bytes = SEGMENT * self.granule as usize;
        let offset = (segment * bytes as u64).saturating_sub(shadow.base) as usize;
        let index = offset / bytes;
        Some((shadow.pages.get(index / PAGE)?, index % PAGE, offset))
    }

    // ---- the first pass ----

    /// A block of the first pass is about to write to a segment for the first time: what it held is taken down.
    #[inline(always)]
    pub(super) fn claim(&self, (index, buffer): (usize, &Buffer), segment: u64, undo: &mut Undo) {
        let shadow = &self.buffers[index];
        // Of a buffer that nothing has written it is known what it holds.
        if shadow.before == Initialised::None {
            return;
        }
        if let Some((page, at, offset)) = self.place(shadow, segment)
            && !page.seen().is_kept(at)
        {
            undo.note(index, buffer, offset);
            if page.seen().keep(at) {
                undo.withdraw();
            }
        }
    }

    /// A block of the first pass has ended: what it did to the granules of a segment, by deed.
    #[inline(always)]
    pub(super) fn see(&self, index: usize, segment: u64, deeds: &[u32; DEED_KINDS]) {
        if let Some((page, at, _)) = self.place(&self.buffers[index], segment)
            && page.seen().add(at, deeds)
        {
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
        let undo = self.undo.get_mut().unwrap_or_else(PoisonError::into_inner);
        for undo in undo.drain(..) {
            undo.restore(buffers);
        }
        let words = SEGMENT * self.granule as usize / 4;
        for (shadow, buffer) in self.buffers.iter_mut().zip(buffers) {
            for (number, page) in shadow.pages.iter_mut().enumerate() {
                let page = std::mem::take(page);
                if shadow.before == Initialised::None && page.seen_so_far().is_some() {
                    buffer.restore(number * PAGE * words, PAGE * words);
                }
            }
        }
    }

    // ---- blocks in order ----

    /// A block is about to write to granules of a segment for the first time: the values that earlier blocks have
    /// stored there are kept, if any did.
    pub(super) fn keep_values(
        &self,
        (index, buffer): (usize, &Buffer),
        segment: u64,
        mask: u32,
    ) {
        if self.order.is_none()
            && let Some((page, at, offset)) = self.place(&self.buffers[index], segment)
        {
            page.keep_values(at, mask, &buffer.words[offset / 4..], self.granule);
        }
    }

    /// Adds a deed; `values` are those stored. Returns its races if blocks may wait for each other.
    pub(super) fn tell(
        &self,
        buffer: usize,
        segment: u64,
        entry: Entry,
        values: &[u32],
    ) -> Vec<Pair> {
        let shadow = &self.buffers[buffer];
        let Some((page, at, offset)) = self.place(shadow, segment) else {
            return Vec::new();
        };
        if entry.deed.writes() {
            page.seen().write(at, entry.mask);
        }
        let Some(order) = &self.order else {
            page.tell(at, entry, values);
            return Vec::new();
        };
        let order = order.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (shadow.base + offset as u64, self.granule);
        page.tell_in_order(at, entry, values, &order, place)
    }

    /// The races of a launch whose blocks do not wait for each other, in the order of addresses.
    pub(super) fn races(&self) -> Vec<Pair> {
        let mut races = Vec::new();
        if self.order.is_some() {
            return races;
        }
        let page_bytes = (PAGE * SEGMENT) as u64 * u64::from(self.granule);
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

    /// Whether granules of a segment, which start at an offset of the buffer, held something before the launch, or
    /// since an earlier block stored there if blocks run one after the other. (If another block stores there in the
    /// first pass, the launch is taken back.)
    #[inline]
    pub(super) fn is_initialised(&self, buffer: usize, offset: usize, bytes: usize) -> bool {
        let shadow = &self.buffers[buffer];
        let granule = self.granule as usize;
        shadow.before.covers(offset, bytes)
            || !self.is_first
                && (offset..offset + bytes).step_by(granule).all(|at| {
                    shadow.before.covers(at, granule)
                        || shadow.is_written((at / granule / SEGMENT, at / granule % SEGMENT))
                })
    }

    /// Tells the buffers what this launch has written.
    pub(crate) fn give_back(self, buffers: &[&Buffer]) {
        for (shadow, buffer) in self.buffers.into_iter().zip(buffers) {
            let mut state = shadow.before;
            if state != Initialised::All {
                let written: Vec<u32> = shadow.pages.iter().flat_map(Page::written).collect();
                state.merge(&written, self.granule as usize, buffer.bytes);
            }
            buffer.put_initialised(state);
        }
    }
}

impl BufferShadow {
    /// Whether a block has told that it wrote a granule of a segment.
    fn is_written(&self, (segment, granule): (usize, usize)) -> bool {
        let page = self.pages.get(segment / PAGE);
        page.and_then(Page::seen_so_far)
            .is_some_and(|seen| seen.written(segment % PAGE) & (1 << granule) != 0)
    }
}
