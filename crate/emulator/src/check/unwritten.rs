//! Reads of bytes that nothing has written: which of them are mistakes. Which bytes these are is known elsewhere.
//!
//! A structure is copied with its padding. So a read that also brings something is a mistake only if the program uses
//! what nobody has written; one that brings nothing at all is one at once, whatever becomes of it.

use crate::check::block::BlockShadow;
use crate::program::Program;
use crate::program::access::Wanted;
use crate::report::Detail;

/// What a lane's access reads of what nothing has written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unwritten {
    /// Those bytes of the access, one bit each.
    pub(crate) bytes: u16,
    /// Nothing has been written to its whole word either.
    pub(crate) is_alone: bool,
}

impl Unwritten {
    /// What a finding has to say of an access of so many bytes, if it is a mistake.
    pub(crate) fn mistake(
        self,
        (bytes, wanted): (u32, Wanted),
        program: &Program,
    ) -> Option<Detail> {
        if self.bytes == 0 {
            return None;
        }
        let all = u16::MAX.checked_shr(16 - bytes.min(16)).unwrap_or(0);
        let used = self.bytes & wanted.bytes & all;
        if self.bytes & all == all {
            // Of what has no alignment, padding is copied byte by byte.
            let is_padding = bytes < 4 && !self.is_alone && used == 0;
            return (!is_padding).then_some(Detail::None);
        }
        (used != 0).then(|| Detail::Unwritten {
            bytes: used.count_ones(),
            used: wanted.place.and_then(|place| program.source(place)),
            used_ptx_line: wanted.place.map_or(0, |place| program.ptx_line(place)),
        })
    }
}

impl BlockShadow<'_> {
    /// The bytes of a granule of an access, if it is such a one.
    #[inline(always)]
    pub(super) fn granule_bytes(&self, index: usize, holds: bool) -> u16 {
        let granule = u16::MAX >> (16 - (1 << self.shift));
        u16::from(holds) * (granule << (index << self.shift))
    }

    /// The bytes of a granule of global memory, at an offset in its buffer, that nothing has written, if these are not all written: the
    /// host may have written a part of it.
    pub(super) fn fresh_bytes(
        &self,
        buffer: usize,
        offset: usize,
        index: usize,
        holds: bool,
    ) -> u16 {
        if !holds {
            return 0;
        }
        let bytes = 0..1 << self.shift;
        bytes.fold(0, |fresh, byte| {
            let is_fresh = !self.grid.held(buffer, offset + byte);
            fresh | u16::from(is_fresh) << ((index << self.shift) + byte)
        })
    }

    /// Whether none of the granules of a word is written.
    pub(super) fn is_alone(
        &mut self,
        granule: usize,
        is_written: impl Fn(&mut Self, usize) -> bool,
    ) -> bool {
        let count = 4usize >> self.shift;
        let first = granule & !(count - 1);
        (first..first + count).all(|at| !is_written(self, at))
    }
}
