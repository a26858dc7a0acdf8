//! Whole warps' accesses to words of global and shared memory, where nothing is out of the ordinary. All else
//! takes the slower way of the parent module, with the same counts.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::Stored;
use crate::counters::{self, Wavefronts};
use crate::execute::lanes::{Lanes, WARP};
use crate::execute::program::{AccessShape, Inst};
use crate::execute::world::World;
use crate::memory::Buffer;
use crate::report::Space;

/// Where a warp's 32 lanes access memory.
struct Span {
    /// Address of lane 0.
    first: u64,
    /// From each lane's address to the next lane's, if it is always the same.
    stride: Option<u64>,
    low: u64,
    /// One past the last byte.
    end: u64,
}

impl Span {
    /// `None` if an address is not aligned, or the lanes are so far apart that they cannot be in one buffer.
    #[inline(always)]
    fn new(addresses: &[u64; WARP], offset: u64, bytes: u64) -> Option<Self> {
        let stride = addresses[1].wrapping_sub(addresses[0]);
        let (mut different, mut expected) = (0, addresses[0]);
        for address in addresses {
            different |= address ^ expected;
            expected = expected.wrapping_add(stride);
        }
        if different != 0 {
            return Self::scattered(addresses, offset, bytes);
        }
        let first = addresses[0].wrapping_add(offset);
        let last = first.wrapping_add(stride.wrapping_mul(31));
        let (low, high) = if (stride as i64) < 0 {
            (last, first)
        } else {
            (first, last)
        };
        let sane = (first | stride) & (bytes - 1) == 0
            && stride.wrapping_add(1 << 40) < 1 << 41
            && low <= high;
        let end = high.checked_add(bytes)?;
        sane.then_some(Self {
            first,
            stride: Some(stride),
            low,
            end,
        })
    }

    #[inline(never)]
    fn scattered(addresses: &[u64; WARP], offset: u64, bytes: u64) -> Option<Self> {
        let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
        for address in addresses {
            let address = address.wrapping_add(offset);
            low = low.min(address);
            high = high.max(address);
            bits |= address;
        }
        let end = high.checked_add(bytes)?;
        (bits & (bytes - 1) == 0).then_some(Self {
            first: addresses[0].wrapping_add(offset),
            stride: None,
            low,
            end,
        })
    }
}

/// Loads for the warp whose lanes start at `at`; false if the slower way must be taken.
#[inline(always)]
pub(super) fn load<T: Stored>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    shape: &AccessShape,
    at: usize,
    out: &mut [Box<[T]>; 4],
) -> bool {
    if !is_simple(shape, world) {
        return false;
    }
    let Ok(addresses) = lanes.longs.source(inst.s[0])[at..at + WARP].try_into() else {
        return false;
    };
    let Some(span) = Span::new(addresses, inst.imm, u64::from(shape.bytes())) else {
        return false;
    };
    if shape.space == Some(Space::Global) {
        let Some(buffer) = global(world, shape, addresses, inst.imm, &span) else {
            return false;
        };
        let words = &buffer.words;
        match words_per_lane(shape) {
            1 => load_words::<T, 1>(words, addresses, inst.imm, buffer.base, &span, at, out),
            2 => load_words::<T, 2>(words, addresses, inst.imm, buffer.base, &span, at, out),
            _ => load_words::<T, 4>(words, addresses, inst.imm, buffer.base, &span, at, out),
        }
        return true;
    }
    if !shared(world, shape, addresses, inst.imm, &span, false) {
        return false;
    }
    let words = world.shared.as_slice();
    match words_per_lane(shape) {
        1 => load_words::<T, 1>(words, addresses, inst.imm, 0, &span, at, out),
        2 => load_words::<T, 2>(words, addresses, inst.imm, 0, &span, at, out),
        _ => load_words::<T, 4>(words, addresses, inst.imm, 0, &span, at, out),
    }
    true
}

/// Stores for the warp whose lanes start at `at`; false if the slower way must be taken.
#[inline(always)]
pub(super) fn store<T: Stored>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    shape: &AccessShape,
    at: usize,
) -> bool {
    if !is_simple(shape, world) {
        return false;
    }
    let Ok(addresses) = lanes.longs.source(inst.s[0])[at..at + WARP].try_into() else {
        return false;
    };
    let Some(span) = Span::new(addresses, inst.imm, u64::from(shape.bytes())) else {
        return false;
    };
    let mut sources: [&[T]; 4] = [&[]; 4];
    for (source, slot) in sources
        .iter_mut()
        .zip(&inst.s[1..])
        .take(shape.count as usize)
    {
        *source = &T::file(lanes).source(*slot)[at..at + WARP];
    }
    if shape.space == Some(Space::Global) {
        let Some(buffer) = global(world, shape, addresses, inst.imm, &span) else {
            return false;
        };
        let mut words = Shared(&buffer.words);
        match words_per_lane(shape) {
            1 => store_words::<T, 1>(
                &mut words,
                addresses,
                inst.imm,
                buffer.base,
                &span,
                &sources,
            ),
            2 => store_words::<T, 2>(
                &mut words,
                addresses,
                inst.imm,
                buffer.base,
                &span,
                &sources,
            ),
            _ => store_words::<T, 4>(
                &mut words,
                addresses,
                inst.imm,
                buffer.base,
                &span,
                &sources,
            ),
        }
        return true;
    }
    if !shared(world, shape, addresses, inst.imm, &span, true) {
        return false;
    }
    let mut words = Owned(&mut world.shared);
    match words_per_lane(shape) {
        1 => store_words::<T, 1>(&mut words, addresses, inst.imm, 0, &span, &sources),
        2 => store_words::<T, 2>(&mut words, addresses, inst.imm, 0, &span, &sources),
        _ => store_words::<T, 4>(&mut words, addresses, inst.imm, 0, &span, &sources),
    }
    true
}

/// Words of 32 or 64 bits, not sign-extended, in global or shared memory; nothing is traced.
#[inline(always)]
fn is_simple(shape: &AccessShape, world: &World) -> bool {
    let width = if shape.long { 8 } else { 4 };
    shape.element == width
        && matches!(shape.space, Some(Space::Global | Space::Shared))
        && world.trace.is_none()
}

#[inline(always)]
fn words_per_lane(shape: &AccessShape) -> u32 {
    shape.bytes() / 4
}

/// Counts a request and finds its buffer.
#[inline(always)]
fn global<'a>(
    world: &mut World<'a>,
    shape: &AccessShape,
    addresses: &[u64; WARP],
    offset: u64,
    span: &Span,
) -> Option<&'a Buffer> {
    let site = shape.site as usize;
    let (buffer, _) = world.find(site, span.low, (span.end - span.low) as usize)?;
    let sectors = match span.stride {
        Some(stride) => counters::strided_sectors(span.first, stride),
        None => counters::scattered_sectors(addresses, offset),
    };
    let count = &mut world.sites[site];
    count.executed += 1;
    count.requests += 1;
    count.sectors += u64::from(sectors);
    Some(buffer)
}

/// Counts a request, if it lies in the block's shared memory.
#[inline(always)]
fn shared(
    world: &mut World,
    shape: &AccessShape,
    addresses: &[u64; WARP],
    offset: u64,
    span: &Span,
    is_store: bool,
) -> bool {
    if span.end > u64::from(world.shared_bytes) {
        return false;
    }
    let bytes = shape.bytes();
    let wavefronts = match span.stride {
        Some(stride) => Wavefronts::strided(stride, bytes, is_store),
        None => Wavefronts::scattered(addresses, offset, bytes, is_store),
    };
    let count = &mut world.sites[shape.site as usize];
    count.executed += 1;
    count.requests += 1;
    count.wavefronts += u64::from(wavefronts.taken);
    count.bank_conflicts += u64::from(wavefronts.bank_conflicts());
    true
}

/// The index of each lane's first word, for lanes that are not in a row.
#[inline(always)]
fn each_lane(
    addresses: &[u64; WARP],
    offset: u64,
    base: u64,
    span: &Span,
    mut f: impl FnMut(usize, usize),
) {
    if let Some(stride) = span.stride {
        let step = ((stride as i64) / 4) as usize;
        let mut index = (span.first.wrapping_sub(base) / 4) as usize;
        for lane in 0..WARP {
            f(lane, index);
            index = index.wrapping_add(step);
        }
    } else {
        let from = base.wrapping_sub(offset);
        for (lane, address) in addresses.iter().enumerate() {
            f(lane, (address.wrapping_sub(from) / 4) as usize);
        }
    }
}

/// `WORDS` words for each lane.
#[inline(always)]
fn load_words<T: Stored, const WORDS: usize>(
    words: &[impl Load],
    addresses: &[u64; WARP],
    offset: u64,
    base: u64,
    span: &Span,
    at: usize,
    out: &mut [Box<[T]>; 4],
) {
    // Registers of 64 bits take two words each.
    let per_register = size_of::<T>() / 4;
    let value = |words: &[_], register: usize| {
        let word = register * per_register;
        T::joined(
            Load::load(&words[word]),
            if per_register > 1 {
                Load::load(&words[word + 1])
            } else {
                0
            },
        )
    };
    if span.stride == Some(4 * WORDS as u64) {
        let first = (span.first.wrapping_sub(base) / 4) as usize;
        let row = &words[first..first + WARP * WORDS];
        for (register, out) in out.iter_mut().enumerate().take(WORDS / per_register) {
            for (out, words) in out[at..at + WARP].iter_mut().zip(row.chunks_exact(WORDS)) {
                *out = value(words, register);
            }
        }
        return;
    }
    if WORDS == per_register {
        let out = &mut out[0][at..at + WARP];
        return each_lane(addresses, offset, base, span, |lane, index| {
            out[lane] = value(&words[index..index + WORDS], 0);
        });
    }
    each_lane(addresses, offset, base, span, |lane, index| {
        let words = &words[index..index + WORDS];
        for (register, out) in out.iter_mut().enumerate().take(WORDS / per_register) {
            out[at + lane] = value(words, register);
        }
    });
}

#[inline(always)]
fn store_words<T: Stored, const WORDS: usize>(
    words: &mut impl Store,
    addresses: &[u64; WARP],
    offset: u64,
    base: u64,
    span: &Span,
    sources: &[&[T]; 4],
) {
    let per_register = size_of::<T>() / 4;
    if WORDS == per_register {
        let source = &sources[0][..WARP];
        if span.stride == Some(4 * WORDS as u64) {
            let first = (span.first.wrapping_sub(base) / 4) as usize;
            return words.store_row(first, source);
        }
        return each_lane(addresses, offset, base, span, |lane, index| {
            words.store(index, source[lane].low());
            if per_register > 1 {
                words.store(index + 1, source[lane].high());
            }
        });
    }
    each_lane(addresses, offset, base, span, |lane, index| {
        for (register, source) in sources.iter().enumerate().take(WORDS / per_register) {
            let word = index + register * per_register;
            words.store(word, source[lane].low());
            if per_register > 1 {
                words.store(word + 1, source[lane].high());
            }
        }
    });
}

trait Load {
    fn load(&self) -> u32;
}

impl Load for AtomicU32 {
    #[inline(always)]
    fn load(&self) -> u32 {
        self.load(Relaxed)
    }
}

impl Load for u32 {
    #[inline(always)]
    fn load(&self) -> u32 {
        *self
    }
}

trait Store {
    fn store(&mut self, at: usize, value: u32);
    /// Stores registers one after the other.
    fn store_row<T: Stored>(&mut self, first: usize, row: &[T]);
}

struct Shared<'w>(&'w [AtomicU32]);
struct Owned<'w>(&'w mut [u32]);

impl Store for Shared<'_> {
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self.0[at].store(value, Relaxed);
    }

    #[inline(always)]
    fn store_row<T: Stored>(&mut self, first: usize, row: &[T]) {
        let per_register = size_of::<T>() / 4;
        let words = &self.0[first..first + row.len() * per_register];
        for (words, value) in words.chunks_exact(per_register).zip(row) {
            words[0].store(value.low(), Relaxed);
            if per_register > 1 {
                words[1].store(value.high(), Relaxed);
            }
        }
    }
}

impl Store for Owned<'_> {
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self.0[at] = value;
    }

    #[inline(always)]
    fn store_row<T: Stored>(&mut self, first: usize, row: &[T]) {
        let per_register = size_of::<T>() / 4;
        let words = &mut self.0[first..first + row.len() * per_register];
        for (words, value) in words.chunks_exact_mut(per_register).zip(row) {
            words[0] = value.low();
            if per_register > 1 {
                words[1] = value.high();
            }
        }
    }
}
