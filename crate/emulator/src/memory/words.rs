//! The words of a buffer: its own, or lent by the host. Who may lend is `lent`'s affair.

use std::ops::Deref;
use std::sync::atomic::AtomicU32;

/// Words that launches and the host read and write.
#[derive(Debug)]
pub(crate) enum Words {
    /// They go with the buffer.
    Own(Box<[AtomicU32]>),
    /// They stay when the buffer is gone.
    Lent(&'static [AtomicU32]),
}

impl From<Vec<AtomicU32>> for Words {
    fn from(words: Vec<AtomicU32>) -> Self {
        Self::Own(words.into_boxed_slice())
    }
}

impl Deref for Words {
    type Target = [AtomicU32];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU32] {
        match self {
            Self::Own(words) => words,
            Self::Lent(words) => words,
        }
    }
}
