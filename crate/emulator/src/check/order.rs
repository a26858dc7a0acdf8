//! What happened before what among blocks that wait for each other. A block's time is cut into phases by its fences.

/// The phases of all blocks so far, and which of them have been released.
#[derive(Debug, Default)]
pub(super) struct Order {
    phases: Vec<Phase>,
    now: u32,
}

#[derive(Debug, Clone, Copy)]
struct Phase {
    block: u64,
    /// When it was released to others; 0 if it was not.
    released: u32,
    /// Up to when releases are known to the block; of its last phase.
    acquired: u32,
}

impl Order {
    /// A block's next phase.
    pub(super) fn begin(&mut self, block: u64, acquired: u32) -> u32 {
        self.phases.push(Phase {
            block,
            released: 0,
            acquired,
        });
        self.phases.len() as u32 - 1
    }

    /// The phases of a block that a fence closed are released to whoever acquires from now on.
    pub(super) fn release(&mut self, phases: &mut Vec<u32>) {
        self.now += 1;
        for phase in phases.drain(..) {
            self.phases[phase as usize].released = self.now;
        }
    }

    /// A phase learns of all releases so far. That it learns of those through other objects too errs on the side
    /// of silence.
    pub(super) fn acquire(&mut self, phase: u32) {
        self.phases[phase as usize].acquired = self.now;
    }

    pub(super) fn acquired(&self, phase: u32) -> u32 {
        self.phases[phase as usize].acquired
    }

    /// Whether what was done in `old` happened before what is done now in `new`.
    pub(super) fn is_ordered(&self, old: u32, new: u32) -> bool {
        let (old, new) = (self.phases[old as usize], self.phases[new as usize]);
        old.block == new.block || old.released != 0 && old.released <= new.acquired
    }

    pub(super) fn block(&self, phase: u32) -> u64 {
        self.phases[phase as usize].block
    }
}
