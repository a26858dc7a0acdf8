//! The bytes of buffers that an operation reads and writes, as data. Who records them, and what is compared, is others' business.

use std::ops::Range;

/// Bytes of one buffer: ranges of offsets that rise and do not meet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes(Vec<Range<u64>>);

impl Bytes {
    /// One range; none where it is empty.
    pub fn range(range: Range<u64>) -> Self {
        Self(if range.is_empty() {
            Vec::new()
        } else {
            vec![range]
        })
    }

    /// The ranges.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a range that begins no earlier than the last one.
    pub(crate) fn push(&mut self, range: Range<u64>) {
        match self.0.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => self.0.push(range),
        }
    }

    /// The first range that is in both, if there is one.
    pub fn shared_with(&self, other: &Self) -> Option<Range<u64>> {
        let (mut ours, mut theirs) = (self.0.iter(), other.0.iter());
        let (mut a, mut b) = (ours.next()?, theirs.next()?);
        loop {
            let (start, end) = (a.start.max(b.start), a.end.min(b.end));
            if start < end {
                return Some(start..end);
            }
            if a.end <= b.end {
                a = ours.next()?;
            } else {
                b = theirs.next()?;
            }
        }
    }
}

/// What an operation does to one buffer, or to memory of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedBuffer {
    /// What findings call it.
    pub name: String,
    /// Its first address: no two buffers have the same one at a time.
    pub base: u64,
    /// What is read of it.
    pub read: Bytes,
    /// What is written, atomics included.
    pub written: Bytes,
}

/// What an operation does to memory, buffer by buffer.
pub type Touched = Vec<TouchedBuffer>;

/// What a programmatic dependent launch does that need not come after the kernel before it in its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Early {
    /// What its threads touch before they have waited for that kernel (`griddepcontrol.wait`); all that it touches, where
    /// none waits.
    pub touched: Touched,
    /// Whether any thread waits, so that its end comes after the end of that kernel.
    pub waits: bool,
    /// Whether a block lets the next kernel begin only after it has waited itself.
    pub holds_next: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_meet() {
        let mut bytes = Bytes::range(4..8);
        bytes.push(8..12);
        bytes.push(10..11);
        bytes.push(40..44);
        assert_eq!(bytes.ranges(), [4..12, 40..44]);
        let other = |range| Bytes::range(range);
        assert_eq!(bytes.shared_with(&other(0..4)), None);
        assert_eq!(bytes.shared_with(&other(0..5)), Some(4..5));
        assert_eq!(bytes.shared_with(&other(12..41)), Some(40..41));
        assert_eq!(other(41..100).shared_with(&bytes), Some(41..44));
        assert_eq!(bytes.shared_with(&Bytes::range(5..5)), None);
    }
}
