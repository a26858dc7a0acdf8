//! Where local objects lie in a thread's own memory. Which of them are left is decided in `optimise`.

use crate::hash::HashMap;
use crate::ir::{Body, Op};

/// Where local objects lie in the thread's own memory.
#[derive(Debug, Default)]
pub(super) struct Depot {
    pub(super) offsets: HashMap<u32, u64>,
    pub(super) size: u64,
    pub(super) align: u64,
}

impl Depot {
    pub(super) fn new(body: &Body) -> Self {
        let mut found = Self::default();
        for block in &body.blocks {
            for inst in &block.insts {
                if let Op::Slot(slot) = body.inst(*inst).op {
                    let data = body.slots[slot.0 as usize];
                    if !found.offsets.contains_key(&slot.0) {
                        let align = data.align.max(1);
                        let offset = found.size.next_multiple_of(align);
                        found.offsets.insert(slot.0, offset);
                        found.size = offset + data.size;
                        found.align = found.align.max(align).max(4);
                    }
                }
            }
        }
        found
    }
}
