//! Decisions drawn from bytes: the same bytes, the same kernel. After the last byte every decision is the first one.

/// Bytes that are used up by decisions.
#[derive(Debug, Clone)]
pub struct Choices<'b> {
    bytes: &'b [u8],
}

impl<'b> Choices<'b> {
    /// Decisions from these bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    /// Whether all bytes are used up.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next byte, 0 after the last.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        *first
    }

    /// The next eight bytes as a number.
    pub fn long(&mut self) -> u64 {
        (0..8).fold(0, |long, _| long << 8 | u64::from(self.byte()))
    }

    /// A number below `limit`, which is at most 65536.
    pub fn below(&mut self, limit: usize) -> usize {
        let number = match limit {
            0..=1 => 0,
            2..=256 => usize::from(self.byte()),
            _ => usize::from(self.byte()) << 8 | usize::from(self.byte()),
        };
        number % limit.max(1)
    }

    /// True `chances` times of 256.
    pub fn happens(&mut self, chances: u8) -> bool {
        // Not when the bytes are used up: what may or may not be there is left out then.
        255 - self.byte() < chances
    }

    /// One of several.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// SplitMix64: numbers without a pattern, the same in every run.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn long(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.long() % limit
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.long() as u8).collect()
    }
}
