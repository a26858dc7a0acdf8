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
            Initialised::Some(bits) => (offset..offset + count).all(|at| {
                bits.get(at / 32)
                    .is_some_and(|word| word & (1 << (at % 32)) != 0)
            }),
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
        let mut at = offset;
        while at < offset + count {
            let (word, first) = (at / 32, at % 32);
            let here = (32 - first).min(offset + count - at);
            let field = (u32::MAX >> (32 - here)) << first;
            if written {
                bits[word] |= field;
            } else {
                bits[word] &= !field;
            }
            at += here;
        }
        *self = Initialised::Some(bits);
        self.simplify(size);
    }

    /// Adds the bytes whose bits are set in `more`, a bit for each byte if there are any.
    pub(crate) fn merge(&mut self, more: Vec<u32>, size: usize) {
        if more.is_empty() {
            return;
        }
        let bits = match self {
            Initialised::All => return,
            Initialised::None => more,
            Initialised::Some(bits) => bits
                .iter()
                .zip(more)
                .map(|(bits, more)| bits | more)
                .collect(),
        };
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
        state.merge(vec![0, 0, 0, 1 << 4], 101);
        assert_eq!(state, Initialised::All);
    }
}
