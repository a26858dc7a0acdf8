//! The memory that the warps of a group access together, cut into segments: found out once for each way in which their
//! lanes lie to each other.

use crate::check::marks::{SEGMENT, parts};

/// Runs of words, wherever the lowest is.
#[derive(Debug)]
pub(crate) struct Footprint {
    /// Words from the lowest to each run, and its length; in order, with gaps between them.
    runs: Vec<(u32, u32)>,
    /// By the place of the lowest granule in its segment, the segments counted from that one, with the granules in
    /// each; empty if not yet found out.
    segments: [Vec<(u32, u32)>; SEGMENT],
}

impl Footprint {
    pub(crate) fn new(runs: Vec<(u32, u32)>) -> Self {
        Self {
            runs,
            segments: [const { Vec::new() }; SEGMENT],
        }
    }

    /// The segments, counted from that of the lowest granule, which is at this place there; `scale` is log2 of the
    /// granules of a word.
    #[inline(always)]
    pub(super) fn segments(&mut self, place: usize, scale: u32) -> &[(u32, u32)] {
        let segments = &mut self.segments[place % SEGMENT];
        if segments.is_empty() {
            *segments = cut(&self.runs, place, scale);
        }
        segments
    }
}

#[inline(never)]
fn cut(runs: &[(u32, u32)], place: usize, scale: u32) -> Vec<(u32, u32)> {
    let mut segments: Vec<(u32, u32)> = Vec::with_capacity(runs.len());
    for (start, length) in runs {
        let first = place as u64 + (u64::from(*start) << scale);
        for (number, mask) in parts(first, u64::from(*length) << scale) {
            match segments.last_mut() {
                Some((last, granules)) if u64::from(*last) == number => *granules |= mask,
                _ => segments.push((number as u32, mask)),
            }
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_cut_by_where_the_lowest_is() {
        let mut footprint = Footprint::new(vec![(0, 2), (3, 1), (30, 4), (100, 1)]);
        let at_start = [(0, 0b1011 | 0b11 << 30), (1, 0b11), (3, 1 << 4)];
        assert_eq!(footprint.segments(0, 0), at_start);
        let at_end = [(0, 1 << 31), (1, 0b101 | 0b111 << 29), (2, 1), (4, 1 << 3)];
        assert_eq!(footprint.segments(31, 0), at_end);
        assert_eq!(footprint.segments(0, 0), at_start);
        let mut bytes = Footprint::new(vec![(7, 2)]);
        assert_eq!(bytes.segments(0, 2), [(0, 0b1111 << 28), (1, 0b1111)]);
    }
}
