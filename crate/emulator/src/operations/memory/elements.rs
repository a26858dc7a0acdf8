//! How a lane's bytes become registers and back: elements of 1 to 8 bytes in words. Where the bytes lie is no concern of it.

use crate::machine::lanes::Word;
use crate::program::access::AccessShape;
use crate::program::kinds::WARP;

/// One warp's data: word `w` of lane `l` is at `[w][l]`.
pub(crate) type Data = [[u32; WARP]; 4];

/// A register's bits as loads and stores see them.
pub(super) trait Stored: Word {
    fn low(self) -> u32;
    fn high(self) -> u32;
    fn joined(low: u32, high: u32) -> Self;
    /// Registers that are words.
    fn as_words(values: &[Self]) -> Option<&[u32]>;
    fn as_words_mut(values: &mut [Self]) -> Option<&mut [u32]>;
}

impl Stored for u32 {
    #[inline(always)]
    fn low(self) -> u32 {
        self
    }
    #[inline(always)]
    fn high(self) -> u32 {
        0
    }
    #[inline(always)]
    fn joined(low: u32, _high: u32) -> Self {
        low
    }
    #[inline(always)]
    fn as_words(values: &[Self]) -> Option<&[u32]> {
        Some(values)
    }
    #[inline(always)]
    fn as_words_mut(values: &mut [Self]) -> Option<&mut [u32]> {
        Some(values)
    }
}

impl Stored for u64 {
    #[inline(always)]
    fn low(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn high(self) -> u32 {
        (self >> 32) as u32
    }
    #[inline(always)]
    fn joined(low: u32, high: u32) -> Self {
        u64::from(low) | u64::from(high) << 32
    }
    #[inline(always)]
    fn as_words(_values: &[Self]) -> Option<&[u32]> {
        None
    }
    #[inline(always)]
    fn as_words_mut(_values: &mut [Self]) -> Option<&mut [u32]> {
        None
    }
}

/// Moves one element of every lane from its words into a register.
#[inline(always)]
pub(super) fn unpack<T: Stored>(
    out: &mut [T],
    data: &Data,
    shape: &AccessShape,
    element: usize,
    mask: u32,
) {
    let value = |lane: usize| -> T {
        match shape.element {
            8 => T::joined(
                data[2 * (element & 1)][lane],
                data[2 * (element & 1) + 1][lane],
            ),
            4 => {
                let low = data[element & 3][lane];
                T::joined(
                    low,
                    if shape.signed {
                        ((low as i32) >> 31) as u32
                    } else {
                        0
                    },
                )
            }
            bytes => {
                let at = element as u32 * bytes;
                let low = data[(at >> 2) as usize & 3][lane] >> (8 * (at & 3));
                narrow_element(low, bytes, shape.signed)
            }
        }
    };
    if shape.element == 4 && !shape.signed && mask == u32::MAX {
        for (out, low) in out.iter_mut().zip(&data[element & 3]) {
            *out = T::joined(*low, 0);
        }
        return;
    }
    for (lane, out) in out.iter_mut().enumerate() {
        if mask & (1 << lane) != 0 {
            *out = value(lane);
        }
    }
}

/// Extends a byte or half word to a register. A signed one fills a 16-bit register as a 32-bit one does
/// here: the upper half of a 16-bit register is never looked at.
#[inline(always)]
fn narrow_element<T: Stored>(low: u32, bytes: u32, signed: bool) -> T {
    let shift = 32 - 8 * bytes;
    if signed {
        let extended = ((low << shift) as i32) >> shift;
        T::joined(extended as u32, (extended >> 31) as u32)
    } else {
        T::joined((low << shift) >> shift, 0)
    }
}

/// Moves one element of every lane from a register into its words.
#[inline(always)]
pub(super) fn pack<T: Stored>(data: &mut Data, source: &[T], shape: &AccessShape, element: usize) {
    match shape.element {
        8 => {
            for (lane, value) in source.iter().enumerate().take(WARP) {
                data[2 * (element & 1)][lane] = value.low();
                data[2 * (element & 1) + 1][lane] = value.high();
            }
        }
        4 => {
            for (word, value) in data[element & 3].iter_mut().zip(source) {
                *word = value.low();
            }
        }
        bytes => {
            let at = element as u32 * bytes;
            let (shift, field) = (8 * (at & 3), (1u32 << (8 * bytes)) - 1);
            for (word, value) in data[(at >> 2) as usize & 3].iter_mut().zip(source) {
                *word = (*word & !(field << shift)) | ((value.low() & field) << shift);
            }
        }
    }
}
