//! How a warp's 32 addresses lie to each other, and what follows for counters and order, whatever the first address.

use crate::counters::{SECTOR_BYTES, Wavefronts, masked_sectors};
use crate::execute::lanes::{GROUP_WARPS, WARP};
use crate::execute::row::Row;

/// Farther apart, lanes are not in one buffer.
const MOST_BYTES: u64 = 1 << 33;

/// The patterns that are special.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One address for all lanes.
    Uniform,
    /// Each lane's bytes follow those of the lane before.
    Contiguous,
    Other,
}

/// Where 32 lanes are, seen from the lowest.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The row's steps that this was made of, if any: a row has zeros at the end.
    step: [u64; GROUP_WARPS],
    /// Bytes from lane 0 to each lane.
    offsets: [u64; WARP],
    /// All lanes are aligned if the lowest is, and near enough.
    is_sane: bool,
    /// Bytes from lane 0 to the lowest lane.
    low: u64,
    /// Bytes from the lowest lane to the end of the highest one's access.
    bytes: usize,
    pub(crate) shape: Shape,
    /// Words from the lowest lane to each lane.
    pub(crate) words: [u32; WARP],
    /// Lanes by their address.
    pub(crate) order: [u8; WARP],
    /// Sectors, by the place of the lowest lane in its sector in words; 0 if not yet counted.
    sectors: [u8; (SECTOR_BYTES / 4) as usize],
    /// Of an access to shared memory.
    pub(crate) wavefronts: Wavefronts,
}

/// No row's steps.
const NO_ROW: [u64; GROUP_WARPS] = [u64::MAX; GROUP_WARPS];

impl Default for Pattern {
    fn default() -> Self {
        Self {
            step: NO_ROW,
            // No pattern of lanes: lane 0 is not where lane 0 is.
            offsets: [u64::MAX; WARP],
            is_sane: false,
            low: 0,
            bytes: 0,
            shape: Shape::Other,
            words: [0; WARP],
            order: [0; WARP],
            sectors: [0; (SECTOR_BYTES / 4) as usize],
            wavefronts: Wavefronts {
                taken: 0,
                fewest: 0,
            },
        }
    }
}

impl Pattern {
    /// Becomes the pattern of a row of addresses; the width of the access, and whether it is a store to shared
    /// memory, never change.
    #[inline(always)]
    pub(crate) fn follow_row(&mut self, row: &Row<u64>, bytes: u32, shared: bool, is_store: bool) {
        if self.step != row.step {
            self.set(row.offsets(), bytes, shared, is_store);
            self.step = row.step;
        }
    }

    /// Becomes the pattern of these addresses.
    #[inline(always)]
    pub(crate) fn follow_lanes(
        &mut self,
        addresses: &[u64; WARP],
        bytes: u32,
        shared: bool,
        is_store: bool,
    ) {
        let mut offsets = [0; WARP];
        let mut different = 0;
        for ((offset, address), known) in offsets.iter_mut().zip(addresses).zip(&self.offsets) {
            *offset = address.wrapping_sub(addresses[0]);
            different |= *offset ^ known;
        }
        if different != 0 {
            self.set(offsets, bytes, shared, is_store);
            self.step = NO_ROW;
        }
    }

    #[inline(never)]
    fn set(&mut self, offsets: [u64; WARP], bytes: u32, shared: bool, is_store: bool) {
        let (mut low, mut high, mut bits) = (0, 0, 0);
        for offset in offsets {
            low = low.min(offset as i64);
            high = high.max(offset as i64);
            bits |= offset;
        }
        let reach = high.saturating_sub(low) as u64;
        self.offsets = offsets;
        self.sectors = [0; (SECTOR_BYTES / 4) as usize];
        self.low = low as u64;
        self.is_sane = bits % u64::from(bytes) == 0 && reach < MOST_BYTES;
        if !self.is_sane {
            return;
        }
        self.bytes = reach as usize + bytes as usize;
        let from_lowest = offsets.map(|offset| offset.wrapping_sub(self.low));
        let mut contiguous = true;
        for (lane, offset) in from_lowest.iter().enumerate() {
            contiguous &= *offset == lane as u64 * u64::from(bytes);
            self.words[lane] = (offset / 4) as u32;
        }
        self.shape = if reach == 0 {
            Shape::Uniform
        } else if contiguous {
            Shape::Contiguous
        } else {
            Shape::Other
        };
        if shared {
            // Where the lowest lane is turns the banks around, which changes nothing.
            self.wavefronts = Wavefronts::masked(&from_lowest, u32::MAX, bytes, is_store);
        } else if self.is_sparse() {
            self.order = std::array::from_fn(|lane| lane as u8);
            self.order
                .sort_by_key(|lane| self.words[usize::from(*lane)]);
        }
    }

    /// The lowest address and the bytes from there to the end of the highest access, if lane 0 accesses `first` and
    /// all addresses are aligned.
    #[inline(always)]
    pub(crate) fn range(&self, first: u64, bytes: u32) -> Option<(u64, usize)> {
        let aligned = first & (u64::from(bytes) - 1) == 0;
        (self.is_sane && aligned).then_some((first.wrapping_add(self.low), self.bytes))
    }

    /// Sectors of global memory that the lanes touch, if the lowest is at `low`.
    #[inline(always)]
    pub(crate) fn sectors(&mut self, low: u64) -> u32 {
        let place = (low % SECTOR_BYTES / 4) as usize;
        match self.sectors[place] {
            0 => self.count_sectors(place),
            sectors => u32::from(sectors),
        }
    }

    #[inline(never)]
    fn count_sectors(&mut self, place: usize) -> u32 {
        let addresses = self
            .words
            .map(|words| 4 * (u64::from(words) + place as u64));
        let sectors = masked_sectors(&addresses, u32::MAX);
        self.sectors[place] = sectors as u8;
        sectors
    }

    /// Lanes are so far apart that few share a line of the host's cache.
    #[inline(always)]
    pub(crate) fn is_sparse(&self) -> bool {
        self.bytes > 1024
    }
}
