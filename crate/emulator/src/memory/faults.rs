//! What threads did wrong, as it is noted while the run goes on.

use crate::report::{FindingKind, Space};
use crate::sorted::sort_by_key;

/// A finding while the run goes on: one for each block, instruction, kind and space.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: FindingKind,
    pub(crate) block: u64,
    pub(crate) place: u32,
    pub(crate) space: Option<Space>,
    /// Thread in the block, x fastest.
    pub(crate) thread: u32,
    pub(crate) address: Option<u64>,
    pub(crate) access_bytes: u32,
    pub(crate) is_store: bool,
    pub(crate) count: u64,
    pub(crate) detail: crate::report::Detail,
}

/// Most findings kept apart by block; beyond, those of one instruction are merged.
const MOST_FAULTS: usize = 1 << 14;

/// Merges findings of one instruction, kind and space; across blocks too if `blocks`.
pub(crate) fn merge(faults: &mut Vec<Fault>, blocks: bool) {
    let key = |fault: &Fault| {
        (
            if blocks { 0 } else { fault.block },
            fault.kind,
            fault.place,
            fault.space,
            fault.is_store,
            fault.detail.is_remark(),
        )
    };
    sort_by_key(faults, |fault| (key(fault), fault.block, fault.thread));
    faults.dedup_by(|later, first| {
        let same = key(later) == key(first);
        if same {
            first.count += later.count;
        }
        same
    });
}

/// What one worker's blocks did wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) list: Vec<Fault>,
    /// What is wrong only if certain lanes of its warp use what they have just got.
    pub(crate) doubtful: Vec<(Fault, u32)>,
    /// Whether the one who runs an instruction looks at what is doubtful.
    pub(crate) may_doubt: bool,
    /// Noted since this was last cleared, without remarks.
    pub(crate) fresh: u64,
    /// Index in `list` of the current block's first.
    block_first: usize,
}

impl Faults {
    /// Records what is wrong if some lanes of a warp use what they get.
    #[cold]
    pub(crate) fn doubt(&mut self, fault: Fault, readers: u32) {
        match self.may_doubt {
            true => self.doubtful.push((fault, readers)),
            false => self.note(fault),
        }
    }

    /// Records what one thread did wrong.
    #[cold]
    pub(crate) fn note(&mut self, fault: Fault) {
        let is_remark = fault.detail.is_remark();
        self.fresh += u64::from(!is_remark);
        let same = self.list[self.block_first..].iter_mut().find(|other| {
            other.kind == fault.kind
                && other.place == fault.place
                && other.space == fault.space
                && other.is_store == fault.is_store
                && other.detail.is_remark() == is_remark
        });
        match same {
            Some(other) => {
                other.count += fault.count;
                if fault.thread < other.thread {
                    let count = other.count;
                    *other = Fault { count, ..fault };
                }
            }
            None => self.list.push(fault),
        }
    }

    /// Kinds and places of what the current block did wrong, without what is only worth a remark.
    pub(crate) fn of_block(&self) -> usize {
        let of_block = self.list[self.block_first..].iter();
        of_block.filter(|fault| !fault.detail.is_remark()).count()
    }

    /// To be called when a block has ended.
    pub(crate) fn end_block(&mut self) {
        if self.list.len() > MOST_FAULTS {
            merge(&mut self.list, true);
        }
        self.block_first = self.list.len();
    }
}
