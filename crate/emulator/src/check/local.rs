//! What a block's shadow knows of local memory, which is each thread's own: what has been written, and as what.

use crate::check::block::BlockShadow;
use crate::program::kinds::{GROUP_WARPS, WARP};

/// Of what is kept of a word of local memory, the bits of its bytes that are written; above them is what was stored last.
const WRITTEN: u8 = 15;
const TYPE_SHIFT: u32 = 4;

/// What was stored last at a place of local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// Something else: narrower, or a part of something wider.
    Other = 0,
    /// 32 bits.
    Word = 1,
    /// 64 bits that are not said to be a floating-point number.
    Long = 2,
    Double = 3,
    Nothing = 4,
}

impl BlockShadow<'_> {
    /// A lane accesses its own memory at a byte offset that has been checked; returns which bytes it reads of those that
    /// nothing has written, one bit each, and whether all that lies beside them in their word is like them.
    pub(crate) fn local(
        &mut self,
        group: usize,
        lane: usize,
        (offset, bytes): (usize, usize),
        is_store: bool,
    ) -> (u16, bool) {
        let Some(valid) = self.local.get_mut(group) else {
            return (0, true);
        };
        let (mut fresh, mut is_alone) = (0, true);
        for (number, at) in (offset..offset + bytes).enumerate() {
            let bit = 1 << (at % 4);
            if let Some(valid) = valid.get_mut(at / 4 * GROUP_WARPS * WARP + lane) {
                if is_store {
                    *valid = *valid & WRITTEN | bit;
                } else {
                    fresh |= u16::from(*valid & bit == 0) << number;
                    is_alone &= *valid & WRITTEN == 0;
                }
            }
        }
        (fresh, is_alone)
    }

    /// Notes what a lane has stored at a byte offset of its own memory: elements of so many bytes.
    pub(crate) fn keep_type(
        &mut self,
        (group, lane): (usize, usize),
        (offset, elements, bytes): (usize, usize, usize),
        is_float: bool,
    ) {
        let Some(valid) = self.local.get_mut(group) else {
            return;
        };
        let stored = match (bytes, is_float) {
            (4, _) => Stored::Word,
            (8, false) => Stored::Long,
            (8, true) => Stored::Double,
            _ => return,
        };
        for element in 0..elements {
            let at = (offset + element * bytes) / 4 * GROUP_WARPS * WARP + lane;
            if let Some(valid) = valid.get_mut(at) {
                *valid |= (stored as u8) << TYPE_SHIFT;
            }
        }
    }

    /// What a lane's own memory holds from a byte offset on, by the last store there.
    pub(crate) fn stored(&self, group: usize, lane: usize, offset: usize) -> Stored {
        let words = self.local.get(group);
        let valid = words.and_then(|valid| valid.get(offset / 4 * GROUP_WARPS * WARP + lane));
        match valid {
            Some(valid) if valid & WRITTEN == 0 => Stored::Nothing,
            Some(valid) => match valid >> TYPE_SHIFT {
                word if word == Stored::Word as u8 => Stored::Word,
                long if long == Stored::Long as u8 => Stored::Long,
                double if double == Stored::Double as u8 => Stored::Double,
                _ => Stored::Other,
            },
            None => Stored::Other,
        }
    }
}
