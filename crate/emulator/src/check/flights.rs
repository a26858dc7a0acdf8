//! Where in shared memory asynchronous copies are on their way to. When they arrive is decided in `operations/asynchronous`.

use crate::check::cells::{Actor, Earlier};

/// The copy that each granule waits for. Until it has been waited for, it may come at any time: whoever else uses the
/// granule races with it, whatever barriers stand between.
#[derive(Debug, Default)]
pub(super) struct Flights {
    by: Vec<Option<Actor>>,
    /// How many granules wait for one.
    count: usize,
}

impl Flights {
    /// A block starts: what nobody waited for is forgotten.
    pub(super) fn clear(&mut self) {
        if self.count > 0 {
            self.by.fill(None);
            self.count = 0;
        }
    }
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn start(&mut self, at: usize, copy: Actor) {
        if self.by.len() <= at {
            self.by.resize(at + 1, None);
        }
        self.count += usize::from(self.by[at].replace(copy).is_none());
    }

    /// Whether a store is that of the copy itself, which has been waited for.
    pub(super) fn land(&mut self, at: usize, actor: Actor) -> bool {
        let lands = self.copy(at) == Some(actor);
        if lands {
            self.by[at] = None;
            self.count -= 1;
        }
        lands
    }

    /// Whether a granule waits for this copy.
    pub(super) fn is_of(&self, at: usize, copy: Actor) -> bool {
        self.copy(at) == Some(copy)
    }

    /// The copy that another access meets.
    pub(super) fn meet(&self, at: usize) -> Option<Earlier> {
        self.copy(at).map(|actor| Earlier {
            actor,
            is_store: true,
        })
    }

    fn copy(&self, at: usize) -> Option<Actor> {
        self.by.get(at).copied().flatten()
    }
}
