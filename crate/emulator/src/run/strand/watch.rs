//! Tells of a strand that waits whether it goes round in a circle. When its turns are is in `block`.

/// What is remembered of a strand that waits, to tell whether it ever does anything else.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::run) struct Watch {
    /// Its last turn changed no memory.
    pub(in crate::run) is_idle: bool,
    /// Its state after some turn, and how many turns ago that was; it is taken anew after 1, 2, 4, … turns.
    state: u64,
    turns: u32,
    renewed_after: u32,
    /// How often memory had been changed then.
    epoch: u64,
    stuck: bool,
}

impl Watch {
    /// A turn has left the strand in this state and changed no memory.
    pub(in crate::run) fn see(&mut self, state: u64, epoch: u64) {
        if self.epoch != epoch || self.renewed_after == 0 {
            *self = Self {
                is_idle: self.is_idle,
                state,
                renewed_after: 1,
                epoch,
                ..Self::default()
            };
            return;
        }
        self.stuck |= state == self.state;
        self.turns += 1;
        if self.turns == self.renewed_after {
            (self.state, self.turns) = (state, 0);
            self.renewed_after = self.renewed_after.saturating_mul(2);
        }
    }

    /// Whether it has come back to a state in which it was, with memory as it has been since.
    pub(in crate::run) fn is_stuck(&self, epoch: u64) -> bool {
        self.stuck && self.epoch == epoch
    }
}
