//! Volatile accesses of one warp's lanes to shared memory: what one lane stores so and another loads is in order by `__syncwarp()` only.
//!
//! Before Volta the lanes of a warp moved together, and code that relied on it marked its shared memory `volatile`. A
//! lane that waits for a value by comparing it is no such code, nor is one that takes turns with others by an atomic.

use crate::check::block::BlockShadow;
use crate::check::clocks::WARPS;
use crate::check::found::{Race, Racer, note_from};
use crate::check::steps::Moment;
use crate::check::{Touch, TouchAct};
use crate::program::access::Strength;
use crate::program::kinds::{WARP, for_lanes};
use crate::report::Space;

impl BlockShadow<'_> {
    /// A warp's strong access, before it is done.
    pub(super) fn step(&mut self, touch: &Touch, strength: Strength) {
        let stores = match touch.act {
            TouchAct::Load => false,
            TouchAct::Store(_) => true,
            TouchAct::Begin | TouchAct::Atomic { .. } => {
                self.steps.turns[touch.warp % WARPS] += 1;
                return;
            }
        };
        if !stores && touch.wanted.is_compared {
            self.steps.turns[touch.warp % WARPS] += 1;
            return;
        }
        if strength != Strength::Strong || touch.space != Space::Shared {
            return;
        }
        let now = (
            self.clocks.interval(touch.warp),
            self.steps.turns[touch.warp % WARPS],
        );
        for_lanes(touch.mask, |lane| {
            if let Some((thread, place)) = self.unordered_step(touch, lane, now, stores) {
                self.note_step(touch, lane, stores, (thread, place));
            }
        });
        for_lanes(touch.mask, |lane| self.note_lane(touch, lane, now, stores));
    }

    fn granules(&self, touch: &Touch, lane: usize) -> std::ops::Range<usize> {
        let first = (touch.addresses[lane] >> self.shift) as usize;
        first..first + (touch.bytes as usize >> self.shift)
    }

    /// The thread and place of what another lane of the warp did in another instruction since they last met.
    fn unordered_step(
        &self,
        touch: &Touch,
        lane: usize,
        now: Moment,
        stores: bool,
    ) -> Option<(u32, u32)> {
        let thread = (touch.warp * WARP + lane) as u32;
        self.granules(touch, lane).find_map(|at| {
            let step = self.steps.granules.get(&at)?;
            if !stores {
                let is_other = self.is_open(step.stored, now, (step.stored_thread, thread))
                    && step.stored_thread != thread
                    && step.stored_place != touch.place;
                return is_other.then_some((step.stored_thread, step.stored_place));
            }
            if step.loaded_warp as usize != touch.warp || step.loaded_place == touch.place {
                return None;
            }
            let others =
                (0..WARP as u32).filter(|other| step.loaded_lanes & !(1 << lane) & 1 << other != 0);
            let mut others = others.map(|other| (touch.warp * WARP) as u32 + other);
            let other = others.find(|other| self.is_open(step.loaded, now, (*other, thread)))?;
            Some((other, step.loaded_place))
        })
    }

    /// Whether two threads are of one warp, and have not met since the moment at which the first did something.
    fn is_open(&self, moment: Moment, now: Moment, (earlier, later): (u32, u32)) -> bool {
        let warp = later as usize / WARP;
        earlier as usize / WARP == warp
            && moment.1 == now.1
            && moment.0 >= self.clocks.first()
            && !self.clocks.lanes_ordered(warp, moment.0, earlier, later)
    }

    fn note_lane(&mut self, touch: &Touch, lane: usize, now: Moment, stores: bool) {
        for at in self.granules(touch, lane) {
            let step = self.steps.granules.entry(at).or_default();
            if stores {
                step.stored = now;
                step.stored_place = touch.place;
                step.stored_thread = (touch.warp * WARP + lane) as u32;
            } else {
                if step.loaded != now || step.loaded_warp as usize != touch.warp {
                    step.loaded_lanes = 0;
                }
                step.loaded = now;
                step.loaded_place = touch.place;
                step.loaded_warp = touch.warp as u32;
                step.loaded_lanes |= 1 << lane;
            }
        }
    }

    fn note_step(&mut self, touch: &Touch, lane: usize, stores: bool, (thread, place): (u32, u32)) {
        let racer = |thread: u32, place: u32, is_store: bool| Racer {
            block: self.block,
            place,
            thread,
            is_store,
            is_atomic: true,
        };
        let race = Race {
            space: Space::Shared,
            address: touch.addresses[lane],
            access_bytes: touch.bytes,
            count: 1,
            later: racer((touch.warp * WARP + lane) as u32, touch.place, stores),
            earlier: racer(thread, place, !stores),
            same_instruction: false,
            crosses_proxies: false,
            crosses_warps: false,
            left_out: self.left_out((touch.warp * WARP + lane) as u32, thread),
        };
        note_from(&mut self.races, self.block_races, race);
    }
}
