//! All blocks on one host thread: one that waits makes room for the next, as on a GPU. How one has a turn is in `unit`.

use std::collections::VecDeque;

use crate::error::LaunchError;
use crate::report::{Detail, GridWait};
use crate::run::block::Ended;
use crate::run::grid::state::Grid;
use crate::run::grid::unit::Unit;
use crate::run::limits;
use crate::run::outcome::Part;

impl Grid<'_> {
    /// All blocks on this thread. Those of a cluster run together. One that waits makes room for the next one, as many as a
    /// GPU runs together; after that they take turns.
    pub(super) fn in_order(&self) -> Result<Vec<Part>, LaunchError> {
        let talk = self.entry.program.order_matters;
        let (units, each) = (self.units(), u64::from(self.shape.cluster_blocks()));
        let most = if talk { self.resident_units() } else { 1 };
        let mut waiting: VecDeque<Unit> = VecDeque::new();
        let mut free: Vec<Unit> = Vec::new();
        // Changes of memory by blocks that have had a turn; units in a row that wait for ever as memory is now.
        let (mut epoch, mut stuck) = (0, 0);
        let mut next = 0;
        // Units that have ended, and the first block of the first of them.
        let (mut left, mut first_left) = (0, u64::MAX);
        loop {
            let mut unit = if next < units && waiting.len() < most {
                let last = self.last_after_found();
                if self.is_over(self.shape.block_of(next, 0))
                    || last.is_some_and(|(_, last)| next > last)
                {
                    break;
                }
                let mut unit = free.pop().map_or_else(|| self.unit(), Ok)?;
                self.enter_unit(&mut unit, next);
                next += 1;
                unit
            } else {
                match waiting.pop_front() {
                    Some(unit) => unit,
                    None => break,
                }
            };
            let before = epoch;
            match self.turn_of_unit(&mut unit, &mut epoch) {
                Ended::Done => {
                    stuck = 0;
                    left += 1;
                    first_left = first_left.min(unit.first_block());
                    self.leave_unit(&mut unit);
                    free.push(unit);
                }
                Ended::Stopped | Ended::Abandoned => {
                    waiting.push_back(unit);
                    break;
                }
                Ended::Endless => {
                    self.stop_rounds(&mut unit);
                    waiting.push_back(unit);
                    break;
                }
                ended => {
                    let for_ever = ended == Ended::Waits { for_ever: true } && epoch == before;
                    stuck = if for_ever { stuck + 1 } else { 0 };
                    if stuck > waiting.len() && (next == units || waiting.len() + 1 >= most) {
                        let resident =
                            (talk && next < units).then_some((most as u64 * each, self.blocks));
                        waiting.push_back(unit);
                        let left = (left, first_left);
                        self.give_up_all(&mut waiting, resident, left);
                        break;
                    }
                    waiting.push_back(unit);
                }
            }
        }
        let mut parts: Vec<Part> = free.into_iter().flat_map(Unit::parts).collect();
        for mut unit in waiting {
            self.leave_unit(&mut unit);
            parts.extend(unit.parts());
        }
        Ok(parts)
    }

    /// How many units a GPU runs together.
    fn resident_units(&self) -> usize {
        let threads = u64::from(self.shape.threads());
        let dynamic = self.shape.dynamic_shared_bytes;
        let each = u64::from(self.shape.cluster_blocks());
        (limits::resident_blocks(self.entry, threads, dynamic) / each).max(1) as usize
    }

    /// Stops the launch where all units wait for ever that have begun: so many have ended, the first of them with this
    /// block. `resident` of the launch's blocks run together, where others have not begun.
    fn give_up_all(
        &self,
        waiting: &mut VecDeque<Unit>,
        resident: Option<(u64, u64)>,
        (left, first_left): (u64, u64),
    ) {
        let each = u64::from(self.shape.cluster_blocks());
        let grid = self.shape.is_cooperative.then(|| GridWait {
            waiting: waiting.len() as u64 * each,
            ended: left * each,
            first_ended: (left > 0).then(|| self.shape.block_id(first_left)),
        });
        // The first block says it for all.
        let first = waiting.iter_mut().min_by_key(|unit| unit.first_block());
        if let Some(unit) = first {
            self.give_up(unit, Detail::Waiting { resident, grid });
        }
    }
}
