//! Which granules a block has accessed since its last barrier: a bit each. Most accesses meet nothing, and need no more than this to be known to race with nothing. Who accessed them is in `log` and `cells`.

/// Granules whose marks are kept together.
pub(super) const SEGMENT: usize = 32;

/// Of neighbouring granules, those accessed since the last barrier of the whole block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    written: u32,
    read: u32,
}

impl Marks {
    /// Marks granules; returns whether an earlier access to one of them may race with this one.
    #[inline(always)]
    pub(super) fn mark(&mut self, mask: u32, stores: bool) -> bool {
        let met = if stores {
            self.written | self.read
        } else {
            self.written
        };
        if stores {
            self.written |= mask;
        } else {
            self.read |= mask;
        }
        met & mask != 0
    }
}

/// The parts of a run of granules that lie in one segment each: its number, and its granules.
#[inline(always)]
pub(super) fn parts(first: u64, count: u64) -> Parts {
    Parts { first, count }
}

/// See [`parts`].
pub(super) struct Parts {
    first: u64,
    count: u64,
}

impl Iterator for Parts {
    type Item = (u64, u32);

    #[inline(always)]
    fn next(&mut self) -> Option<(u64, u32)> {
        if self.count == 0 {
            return None;
        }
        let at = self.first % SEGMENT as u64;
        let here = (SEGMENT as u64 - at).min(self.count);
        let number = self.first / SEGMENT as u64;
        self.first += here;
        self.count -= here;
        Some((number, (u32::MAX >> (SEGMENT as u64 - here)) << at))
    }
}

/// What a block did to a segment of its shared memory.
#[derive(Debug, Clone, Copy, Default)]
struct SharedSegment {
    marks: Marks,
    /// Granules that the block has written.
    written: u32,
}

/// The marks of a block's shared memory, and what the block has written there.
#[derive(Debug, Default)]
pub(super) struct SharedMarks(Vec<SharedSegment>);

impl SharedMarks {
    /// Room for so many granules.
    pub(super) fn new(granules: usize) -> Self {
        let segments = granules.div_ceil(SEGMENT) + 1;
        Self(vec![SharedSegment::default(); segments])
    }

    /// A block starts.
    pub(super) fn clear(&mut self) {
        self.0.fill(SharedSegment::default());
    }

    /// Granules count as written, by nobody that others might race with.
    pub(super) fn give(&mut self, granules: std::ops::Range<usize>) {
        for at in granules {
            self.0[at / SEGMENT].written |= 1 << (at % SEGMENT);
        }
    }

    /// The whole block has met.
    pub(super) fn barrier(&mut self) {
        for segment in &mut self.0 {
            segment.marks = Marks::default();
        }
    }

    /// Whether the block has written a granule.
    #[inline(always)]
    pub(super) fn is_written(&self, at: usize) -> bool {
        self.0[at / SEGMENT].written & (1 << (at % SEGMENT)) != 0
    }

    /// Marks granules of a segment; returns whether nothing is out of the ordinary: no access before may race with this
    /// one, and what is read has been written.
    #[inline(always)]
    pub(super) fn mark_segment(&mut self, number: usize, mask: u32, stores: bool) -> bool {
        let segment = &mut self.0[number];
        let met = segment.marks.mark(mask, stores);
        if stores {
            segment.written |= mask;
        }
        !met && segment.written & mask == mask
    }

    /// The same for a run of granules.
    #[inline(always)]
    pub(super) fn mark(&mut self, first: u64, count: u64, stores: bool) -> bool {
        let mut sound = true;
        for (number, mask) in parts(first, count) {
            sound &= self.mark_segment(number as usize, mask, stores);
        }
        sound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_cut_where_segments_meet() {
        let cut: Vec<(u64, u32)> = parts(30, 67).collect();
        assert_eq!(cut, [(0, 3 << 30), (1, !0), (2, !0), (3, 1)]);
        assert_eq!(parts(64, 32).collect::<Vec<_>>(), [(2, !0)]);
        assert!(parts(5, 0).next().is_none());
    }

    #[test]
    fn a_store_meets_what_was_read_and_a_load_what_was_written() {
        let mut marks = SharedMarks::new(100);
        assert!(!marks.mark(3, 4, false), "nothing is written there");
        assert!(marks.mark(40, 40, true));
        assert!(!marks.mark(79, 1, false));
        marks.barrier();
        assert!(marks.mark(40, 40, false) && marks.mark(50, 3, false));
        assert!(!marks.mark(52, 4, true));
    }
}
