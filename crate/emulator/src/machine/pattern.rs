//! How a warp's 32 addresses lie to each other, and what follows for counters and order, whatever the first address.

use std::rc::Rc;

use crate::check::Footprint;
use crate::counters::{SECTOR_BYTES, Wavefronts, masked_sectors};
use crate::machine::row::Row;
use crate::program::kinds::{GROUP_WARPS, WARP};

/// Farther apart, lanes are not in one buffer.
const MOST_BYTES: u64 = 1 << 33;

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
    /// So many lanes, from each multiple of it on, follow each other in memory without a gap.
    pub(crate) run: usize,
    /// So many lanes, from each multiple of it on, access the same address.
    pub(crate) same: usize,
    /// Words from the lowest lane to each lane.
    pub(crate) words: Rc<[u32; WARP]>,
    /// Words from the lowest lane to one lane in each line of the host's cache, more or less.
    lines: [u32; WARP],
    line_count: usize,
    /// How the warps of a group lie to each other, if their addresses are between each other's.
    weave: Option<Box<Weave>>,
    /// The runs that the words of a group's warps make up.
    runs: Option<Box<Runs>>,
    /// How often runs may be made up again for warps that lie otherwise: it grows with each time that they lie as
    /// before.
    patience: u8,
    /// Sectors, by the place of the lowest lane in its sector in words; 0 if not yet counted.
    sectors: [u8; (SECTOR_BYTES / 4) as usize],
    /// Of an access to shared memory.
    pub(crate) wavefronts: Wavefronts,
}

/// Words of a line of the host's cache.
const LINE_WORDS: u32 = 16;

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
            run: 1,
            same: 1,
            words: Rc::new([0; WARP]),
            lines: [0; WARP],
            line_count: 0,
            weave: None,
            runs: None,
            patience: 16,
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
        // A comparison of arrays would be a call, and in WebAssembly go byte by byte.
        let mut different = 0;
        for (step, known) in row.step.iter().zip(&self.step) {
            different |= step ^ known;
        }
        if different != 0 {
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
        let words = from_lowest.map(|offset| (offset / 4) as u32);
        match Rc::get_mut(&mut self.words) {
            Some(own) => *own = words,
            None => self.words = Rc::new(words),
        }
        self.run = self.chunk(bytes / 4);
        self.same = self.chunk(0);
        self.weave = None;
        self.runs = None;
        if shared {
            // Where the lowest lane is turns the banks around, which changes nothing.
            self.wavefronts = Wavefronts::masked(&from_lowest, u32::MAX, bytes, is_store);
            return;
        }
        let mut sorted = words;
        sorted.sort_unstable();
        self.line_count = 0;
        for (at, words) in sorted.into_iter().enumerate() {
            if at == 0 || words / LINE_WORDS != sorted[at - 1] / LINE_WORDS {
                self.lines[self.line_count] = words;
                self.line_count += 1;
            }
        }
    }

    /// The most lanes, a power of two, that lie `step` words from each other, from each multiple on.
    fn chunk(&self, step: u32) -> usize {
        let holds = |lanes: usize| {
            self.words.chunks_exact(lanes).all(|words| {
                words
                    .windows(2)
                    .all(|pair| pair[1] == pair[0].wrapping_add(step))
            })
        };
        [32, 16, 8, 4, 2]
            .into_iter()
            .find(|lanes| holds(*lanes))
            .unwrap_or(1)
    }

    /// The lowest address and the bytes from there to the end of the highest access, if lane 0 accesses `first` and
    /// all addresses are aligned.
    #[inline(always)]
    pub(crate) fn range(&self, first: u64, bytes: u32) -> Option<(u64, usize)> {
        let aligned = first & (u64::from(bytes) - 1) == 0;
        (self.is_sane && aligned).then_some((first.wrapping_add(self.low), self.bytes))
    }

    /// The lanes' addresses, if lane 0 accesses `first`.
    pub(crate) fn addresses(&self, first: u64) -> [u64; WARP] {
        self.offsets.map(|offset| first.wrapping_add(offset))
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

    /// Words from the lowest lane's first to the highest lane's last.
    #[inline(always)]
    pub(crate) fn length_words(&self) -> usize {
        self.bytes / 4
    }

    /// Words from the lowest lane to one lane in each line of the host's cache, more or less.
    #[inline(always)]
    pub(crate) fn lines(&self) -> &[u32] {
        &self.lines[..self.line_count]
    }

    /// Lanes are so far apart that few share a line of the host's cache.
    #[inline(always)]
    pub(crate) fn is_sparse(&self) -> bool {
        self.bytes > 1024
    }

    /// How all eight warps' single words lie to each other, if whole runs of them are consecutive.
    #[inline(always)]
    pub(crate) fn weave(&mut self, lowest: &[usize; GROUP_WARPS]) -> Option<&Weave> {
        let first = lowest.iter().copied().fold(usize::MAX, usize::min);
        let warps = lowest.map(|lowest| lowest - first);
        if self.weave.as_ref().is_none_or(|weave| weave.warps != warps) {
            self.weave = Some(Box::new(Weave::new(warps, &self.words)));
        }
        self.weave.as_deref().filter(|weave| weave.holds)
    }

    /// The lowest word of these warps, and the runs that their words make up; none if the warps are too far apart, or lie
    /// otherwise each time.
    #[inline(always)]
    pub(crate) fn runs(
        &mut self,
        lowest: &[usize; GROUP_WARPS],
        warps: u32,
        per_lane: u32,
    ) -> Option<(usize, &mut Runs)> {
        let mut first = usize::MAX;
        for (warp, lowest) in lowest.iter().enumerate() {
            if warps & (1 << warp) != 0 {
                first = first.min(*lowest);
            }
        }
        let mut from_lowest = [0; GROUP_WARPS];
        for (warp, lowest) in lowest.iter().enumerate() {
            if warps & (1 << warp) != 0 {
                from_lowest[warp] = lowest - first;
            }
        }
        let holds = |runs: &Runs| runs.warps == warps && runs.from_lowest == from_lowest;
        if self.runs.as_deref().is_some_and(holds) {
            self.patience = self.patience.saturating_add(1);
        } else {
            let far =
                from_lowest.iter().any(|from| *from >= 1 << 30) || self.bytes as u64 >= 1 << 32;
            self.patience = self.patience.checked_sub(4).filter(|_| !far)?;
            let runs = Runs::new(warps, from_lowest, &self.words, per_lane);
            self.runs = Some(Box::new(runs));
        }
        Some((first, self.runs.as_deref_mut()?))
    }
}

/// The words of a group's warps as runs without a gap.
#[derive(Debug)]
pub(crate) struct Runs {
    /// The warps, one bit each, and the words from the lowest of them to each.
    warps: u32,
    from_lowest: [usize; GROUP_WARPS],
    /// The runs.
    pub(crate) footprint: Footprint,
    /// No word belongs to two lanes.
    pub(crate) distinct: bool,
}

impl Runs {
    #[inline(never)]
    fn new(
        warps: u32,
        from_lowest: [usize; GROUP_WARPS],
        words: &[u32; WARP],
        per_lane: u32,
    ) -> Self {
        let mut starts = Vec::with_capacity(GROUP_WARPS * WARP);
        for (_, from) in numbered(warps, &from_lowest) {
            starts.extend(words.iter().map(|word| from as u32 + word));
        }
        starts.sort_unstable();
        let mut list: Vec<(u32, u32)> = Vec::new();
        let mut distinct = true;
        for start in starts {
            match list.last_mut() {
                Some((first, length)) if start <= *first + *length => {
                    distinct &= start == *first + *length;
                    *length = (*length).max(start + per_lane - *first);
                }
                _ => list.push((start, per_lane)),
            }
        }
        Self {
            warps,
            from_lowest,
            footprint: Footprint::new(list),
            distinct,
        }
    }
}

/// The warps of a set, with what belongs to each.
fn numbered(warps: u32, of: &[usize; GROUP_WARPS]) -> impl Iterator<Item = (usize, usize)> {
    let numbered = of.iter().copied().enumerate();
    numbered.filter(move |(warp, _)| warps & (1 << warp) != 0)
}

/// Words that are consecutive in memory though far apart in the lanes of a group, as a column's are.
#[derive(Debug)]
pub(crate) struct Weave {
    /// Words from the lowest warp to each warp.
    warps: [usize; GROUP_WARPS],
    /// The words do come in runs of [`RUN`].
    holds: bool,
    /// Words from the lowest of all to each run.
    pub(crate) starts: [u32; RUNS],
    /// Places in a register's array of the words of each run.
    pub(crate) places: [[u8; RUN]; RUNS],
}

/// Words that are moved at once.
pub(crate) const RUN: usize = 4;
/// Runs in the words of a group.
pub(crate) const RUNS: usize = GROUP_WARPS * WARP / RUN;

impl Weave {
    #[inline(never)]
    fn new(warps: [usize; GROUP_WARPS], words: &[u32; WARP]) -> Self {
        let mut weave = Self {
            warps,
            holds: warps.iter().all(|from_lowest| *from_lowest < 1 << 30),
            starts: [0; RUNS],
            places: [[0; RUN]; RUNS],
        };
        if !weave.holds {
            return weave;
        }
        let mut all = [(0u32, 0u8); GROUP_WARPS * WARP];
        for (place, entry) in all.iter_mut().enumerate() {
            let word = warps[place / WARP] as u32 + (words[place % WARP] & (u32::MAX >> 1));
            *entry = (word, place as u8);
        }
        all.sort_unstable();
        let (runs, _) = all.as_chunks::<RUN>();
        for (index, run) in runs.iter().enumerate() {
            weave.starts[index] = run[0].0;
            weave.places[index] = run.map(|(_, place)| place);
            let consecutive = (1..RUN).all(|at| run[at].0 == run[0].0 + at as u32);
            // All aligned if the first is.
            weave.holds &= consecutive && (run[0].0 - runs[0][0].0).is_multiple_of(RUN as u32);
        }
        weave
    }
}
