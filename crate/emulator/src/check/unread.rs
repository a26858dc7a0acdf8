//! What asynchronous copies have yet to read: nobody may store there before they are waited for. And what a bulk copy reads of shared memory that no proxy fence has shown it.
//!
//! PTX ISA section "Async proxy": bulk copies reach shared memory by a proxy of their own. What threads have stored by
//! the generic one they see after a `fence.proxy.async` between the two.

use crate::check::Touch;
use crate::check::block::BlockShadow;
use crate::check::cells::{Actor, Manner};
use crate::check::found::{Race, Racer, note_from};
use crate::check::sources::Source;
use crate::program::kinds::{WARP, for_lanes};
use crate::report::Space;

impl BlockShadow<'_> {
    /// The program has bulk copies that read shared memory.
    pub(crate) fn keep_stores(&mut self) {
        self.sources.needs_stores = true;
    }

    /// A copy starts, which reads its source when it likes.
    pub(crate) fn start_source(&mut self, source: Source) {
        self.sources.start(source);
    }

    /// A copy has been waited for.
    pub(crate) fn end_source(&mut self, source: Source) {
        self.sources.end(source);
    }

    /// Who may yet read some of so many bytes of shared memory, for a copy or a product.
    pub(super) fn reader_of(&self, address: u64, bytes: u64) -> Option<Racer> {
        let source = self.sources.reader(Space::Shared, address, bytes)?;
        Some(Racer {
            block: self.block,
            place: source.place,
            thread: source.thread,
            is_store: false,
            is_atomic: false,
        })
    }

    /// A store to where copies may yet read.
    pub(super) fn meet_sources(&mut self, touch: &Touch) {
        for_lanes(touch.mask, |lane| {
            let (address, bytes) = (touch.addresses[lane], u64::from(touch.bytes));
            let Some(source) = self.sources.reader(touch.space, address, bytes) else {
                return;
            };
            let racer = |place: u32, thread: u32, is_store: bool| Racer {
                block: self.block,
                place,
                thread,
                is_store,
                is_atomic: false,
            };
            let race = Race {
                space: touch.space,
                address,
                access_bytes: touch.bytes,
                count: 1,
                later: racer(touch.place, (touch.warp * WARP + lane) as u32, true),
                earlier: racer(source.place, source.thread, false),
                same_instruction: false,
                crosses_proxies: false,
                crosses_warps: false,
                left_out: None,
            };
            note_from(&mut self.races, self.block_races, race);
        });
    }

    /// A warp executes a proxy fence. The order of its lanes is as it was: of what they did in the present interval, it
    /// shows what has been stored by now.
    pub(crate) fn fence_proxy(&mut self, warp: usize) {
        if !self.sources.needs_stores {
            return;
        }
        self.settle();
        let before = self.clocks.before(warp);
        for (shown, before) in self.sources.shown.iter_mut().zip(before) {
            *shown = (*shown).max(before);
        }
        let now = self.clocks.interval(warp);
        for at in 0..self.shared.len() {
            let last = self.shared.last_store(at, now);
            if last.is_some_and(|(by, stamp)| by.warp() == warp && stamp == now) {
                self.sources.shown_early.insert(at, now);
            }
        }
    }

    /// A bulk copy starts that reads shared memory: what it may not see, by a store of a thread that no proxy fence
    /// followed. `is_bulk` tells the places of bulk copies, which need none among themselves.
    pub(crate) fn show_source(&mut self, source: Source, is_bulk: impl Fn(u32) -> bool) {
        self.settle();
        let first = (source.address >> self.shift) as usize;
        let count = source.bytes.div_ceil(1 << self.shift) as usize;
        let by = Actor::new(source.place, source.thread, Manner::Weak);
        for at in first..(first + count).min(self.shared.len()) {
            let Some((storer, stamp)) = self.shared.last_store(at, self.clocks.first()) else {
                continue;
            };
            let is_shown = stamp <= self.sources.shown[storer.warp()]
                || self.sources.shown_early.get(&at) == Some(&stamp);
            if is_shown || is_bulk(storer.place()) {
                continue;
            }
            let racer = |actor: Actor, is_store: bool| Racer {
                block: self.block,
                place: actor.place(),
                thread: actor.thread(),
                is_store,
                is_atomic: false,
            };
            let race = Race {
                space: Space::Shared,
                address: (at as u64) << self.shift,
                access_bytes: 1 << self.shift,
                count: 1,
                later: racer(by, false),
                earlier: racer(storer, true),
                same_instruction: false,
                crosses_proxies: true,
                crosses_warps: false,
                left_out: None,
            };
            note_from(&mut self.races, self.block_races, race);
        }
    }
}
