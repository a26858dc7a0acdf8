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
                let is_other = step.stored == now
                    && step.stored_thread != thread
                    && step.stored_thread as usize / WARP == touch.warp
                    && step.stored_place != touch.place;
                return is_other.then_some((step.stored_thread, step.stored_place));
            }
            let others = step.loaded_lanes & !(1 << lane);
            let is_other = step.loaded == now
                && step.loaded_warp as usize == touch.warp
                && others != 0
                && step.loaded_place != touch.place;
            let other = (touch.warp * WARP) as u32 + others.trailing_zeros();
            is_other.then_some((other, step.loaded_place))
        })
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
        };
        note_from(&mut self.races, self.block_races, race);
    }
}
