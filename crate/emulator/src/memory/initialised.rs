//! Which bytes of a buffer have been written.

/// Which bytes of a buffer hold something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Initialised {
    None,
    All,
    /// One bit for each byte.
    Some(Vec<u32>),
}

impl Initialised {
    /// Whether `count` bytes from `offset` hold something.
    #[inline]
    pub(crate) fn covers(&self, offset: usize, count: usize) -> bool {
        match self {
            Initialised::All => true,
            Initialised::None => count == 0,
            Initialised::Some(bits) => fields(offset, count)
                .all(|(word, field)| bits.get(word).is_some_and(|bits| bits & field == field)),
        }
    }

    /// Sets or clears `count` bytes from `offset` of a buffer of `size` bytes.
    pub(crate) fn mark(&mut self, offset: usize, count: usize, size: usize, written: bool) {
        let whole = if written {
            Initialised::All
        } else {
            Initialised::None
        };
        if count >= size || *self == whole {
            *self = whole;
            return;
        }
        if count == 0 {
            return;
        }
        let mut bits = match std::mem::replace(self, Initialised::None) {
            Initialised::Some(bits) => bits,
            Initialised::All => full(size),
            Initialised::None => vec![0; size.div_ceil(32)],
        };
        for (word, field) in fields(offset, count) {
            if written {
                bits[word] |= field;
            } else {
                bits[word] &= !field;
            }
        }
        *self = Initialised::Some(bits);
        self.simplify(size);
    }

    /// Adds the bytes whose bits are set in `more`: a bit for each `unit` bytes of a buffer of `size` bytes, 1, 2 or 4.
    pub(crate) fn merge(&mut self, more: &[u32], unit: usize, size: usize) {
        let count: usize = more.iter().map(|word| word.count_ones() as usize).sum();
        if count == 0 || *self == Initialised::All {
            return;
        }
        if count * unit >= size {
            *self = Initialised::All;
            return;
        }
        let mut bits = match std::mem::replace(self, Initialised::None) {
            Initialised::Some(bits) => bits,
            _ => vec![0; size.div_ceil(32)],
        };
        for (bits, more) in bits.chunks_mut(unit).zip(more) {
            for (at, bits) in bits.iter_mut().enumerate() {
                *bits |= widened(more >> (at * 32 / unit), unit);
            }
        }
        *self = Initialised::Some(bits);
        self.simplify(size);
    }

    fn simplify(&mut self, size: usize) {
        let Initialised::Some(bits) = self else {
            return;
        };
        // From the end: a buffer that is written from its start is known at once not to be full.
        let Some((last, rest)) = bits.split_last() else {
            return;
        };
        if *last == last_word(size) && rest.iter().rev().all(|word| *word == u32::MAX) {
            *self = Initialised::All;
        } else if bits.iter().all(|word| *word == 0) {
            *self = Initialised::None;
        }
    }
}

/// The bits of `count` bytes from `offset` on: the words that they are in, and which bits of it they are.
fn fields(offset: usize, count: usize) -> impl Iterator<Item = (usize, u32)> {
    let words = offset / 32..(offset + count).div_ceil(32);
    words.map(move |word| {
        let first = offset.saturating_sub(word * 32);
        let end = (offset + count - word * 32).min(32);
        (word, (u32::MAX >> (32 - (end - first))) << first)
    })
}

/// The lowest bits of a word, each as often as a unit has bytes.
fn widened(bits: u32, unit: usize) -> u32 {
    let each = u32::MAX >> (32 - unit);
    (0..32 / unit)
        .filter(|at| bits & (1 << at) != 0)
        .fold(0, |wide, at| wide | each << (at * unit))
}

/// The bits of a buffer of which all bytes are written.
fn full(size: usize) -> Vec<u32> {
    let mut bits = vec![u32::MAX; size.div_ceil(32)];
    if let Some(last) = bits.last_mut() {
        *last = last_word(size);
    }
    bits
}

/// The last word of them.
fn last_word(size: usize) -> u32 {
    match size % 32 {
        0 => u32::MAX,
        bytes => (1 << bytes) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_covered_once_all_of_it_is_written() {
        let mut state = Initialised::None;
        assert!(state.covers(5, 0) && !state.covers(5, 1));
        state.mark(3, 40, 101, true);
        assert!(state.covers(3, 40));
        assert!(!state.covers(2, 2) && !state.covers(42, 2));
        state.mark(0, 3, 101, true);
        state.mark(43, 58, 101, true);
        assert_eq!(state, Initialised::All);
        state.mark(100, 1, 101, false);
        assert!(state.covers(0, 100) && !state.covers(100, 1));
        state.merge(&[0, 0, 0, 1 << 4], 1, 101);
        assert_eq!(state, Initialised::All);
    }

    #[test]
    fn units_written_are_added_as_their_bytes() {
        for unit in [1, 2, 4] {
            let mut state = Initialised::None;
            state.merge(&[0, 0b101 << 29], unit, 300);
            for at in 0..300 {
                let expected = [61, 63].contains(&(at / unit));
                assert_eq!(state.covers(at, 1), expected, "{at} of {unit}");
            }
            state.mark(0, 61 * unit, 300, true);
            assert!(state.covers(0, 62 * unit) && !state.covers(0, 62 * unit + 1));
            let all = vec![u32::MAX; 300 / unit / 32];
            state.merge(&all, unit, 32 * all.len() * unit);
            assert_eq!(state, Initialised::All);
        }
    }
}
