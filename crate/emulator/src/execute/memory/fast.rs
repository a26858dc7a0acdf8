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
    /// Address of lane 16: blocks 16 threads wide have two rows in a warp.
    second: u64,
    /// From each lane's address to the next lane's in its half, if it is always the same.
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
        let mut different = 0;
        for (next, address) in addresses[1..].iter().zip(addresses) {
            different |= next.wrapping_sub(*address) ^ stride;
        }
        if different != 0 {
            return Self::halves(addresses, offset, bytes);
        }
        let first = addresses[0].wrapping_add(offset);
        let second = first.wrapping_add(stride.wrapping_mul(16));
        Self::strided(first, second, stride, bytes)
    }

    #[inline(always)]
    fn strided(first: u64, second: u64, stride: u64, bytes: u64) -> Option<Self> {
        let reach = stride.wrapping_mul(15);
        let ends = [
            first,
            second,
            first.wrapping_add(reach),
            second.wrapping_add(reach),
        ];
        let low = ends.into_iter().fold(u64::MAX, u64::min);
        let high = ends.into_iter().fold(0, u64::max);
        let aligned = (first | second | stride) & (bytes - 1) == 0;
        // With a sane stride, no lane lies beyond the ends.
        let sane = stride.wrapping_add(1 << 40) < 1 << 41;
        let end = high.checked_add(bytes)?;
        (aligned && sane).then_some(Self {
            first,
            second,
            stride: Some(stride),
            low,
            end,
        })
    }

    #[inline(never)]
    fn halves(addresses: &[u64; WARP], offset: u64, bytes: u64) -> Option<Self> {
        let stride = addresses[1].wrapping_sub(addresses[0]);
        let mut different = 0;
        for half in addresses.chunks_exact(16) {
            let mut expected = half[0];
            for address in half {
                different |= address ^ expected;
                expected = expected.wrapping_add(stride);
            }
        }
        if different != 0 {
            return Self::scattered(addresses, offset, bytes);
        }
        let (first, second) = (
            addresses[0].wrapping_add(offset),
            addresses[16].wrapping_add(offset),
        );
        Self::strided(first, second, stride, bytes)
    }

    fn scattered(addresses: &[u64; WARP], offset: u64, bytes: u64) -> Option<Self> {
        let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
        for address in addresses {
            let address = address.wrapping_add(offset);
            low = low.min(address);
            high = high.max(address);
            bits |= address;
        }
        let (first, second) = (
            addresses[0].wrapping_add(offset),
            addresses[16].wrapping_add(offset),
        );
        let end = high.checked_add(bytes)?;
        (bits & (bytes - 1) == 0).then_some(Self {
            first,
            second,
            stride: None,
            low,
            end,
        })
    }

    /// The stride, if it is the same from lane 0 to lane 31.
    #[inline(always)]
    fn whole_stride(&self) -> Option<u64> {
        self.stride
            .filter(|stride| self.second == self.first.wrapping_add(stride.wrapping_mul(16)))
    }
}

/// How an instruction's whole warps are taken, if they can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    is_global: bool,
    words: u32,
}

/// Words of 32 or 64 bits, not sign-extended, in global or shared memory; nothing is traced.
#[inline(always)]
pub(super) fn form(shape: &AccessShape, world: &World) -> Option<Form> {
    let width = if shape.long { 8 } else { 4 };
    let is_simple = shape.element == width
        && matches!(shape.space, Some(Space::Global | Space::Shared))
        && world.trace.is_none()
        && world.check.is_none();
    is_simple.then(|| Form {
        is_global: shape.space == Some(Space::Global),
        words: shape.bytes() / 4,
    })
}

/// Loads for all whole warps; returns a bit for each warp that is done.
#[inline(always)]
pub(super) fn load<T: Stored>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    form: Form,
    out: &mut [Box<[T]>; 4],
) -> u32 {
    match (form.is_global, form.words) {
        (true, 1) => load_warps::<T, true, 1>(lanes, world, inst, out),
        (true, 2) => load_warps::<T, true, 2>(lanes, world, inst, out),
        (true, _) => load_warps::<T, true, 4>(lanes, world, inst, out),
        (false, 1) => load_warps::<T, false, 1>(lanes, world, inst, out),
        (false, 2) => load_warps::<T, false, 2>(lanes, world, inst, out),
        (false, _) => load_warps::<T, false, 4>(lanes, world, inst, out),
    }
}

/// Stores for all whole warps; returns a bit for each warp that is done.
#[inline(always)]
pub(super) fn store<T: Stored>(lanes: &Lanes, world: &mut World, inst: &Inst, form: Form) -> u32 {
    match (form.is_global, form.words) {
        (true, 1) => store_warps::<T, true, 1>(lanes, world, inst),
        (true, 2) => store_warps::<T, true, 2>(lanes, world, inst),
        (true, _) => store_warps::<T, true, 4>(lanes, world, inst),
        (false, 1) => store_warps::<T, false, 1>(lanes, world, inst),
        (false, 2) => store_warps::<T, false, 2>(lanes, world, inst),
        (false, _) => store_warps::<T, false, 4>(lanes, world, inst),
    }
}

#[inline(always)]
fn load_warps<T: Stored, const GLOBAL: bool, const WORDS: usize>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    out: &mut [Box<[T]>; 4],
) -> u32 {
    let mut requests = Requests::<GLOBAL, WORDS>::new(world, inst, false);
    let source = lanes.longs.source(inst.s[0]);
    let offset = inst.imm;
    for warp in lanes.active.first..lanes.active.last {
        let at = warp * WARP;
        let Some(addresses) = whole_warp(lanes, source, warp) else {
            continue;
        };
        let Some(span) = requests.take(world, addresses, offset, warp) else {
            continue;
        };
        match requests.buffer {
            Some(buffer) if GLOBAL => {
                load_words::<T, WORDS>(
                    &buffer.words,
                    addresses,
                    offset,
                    buffer.base,
                    &span,
                    at,
                    out,
                );
            }
            _ => load_words::<T, WORDS>(
                world.shared.as_slice(),
                addresses,
                offset,
                0,
                &span,
                at,
                out,
            ),
        }
    }
    requests.finish(world)
}

#[inline(always)]
fn store_warps<T: Stored, const GLOBAL: bool, const WORDS: usize>(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
) -> u32 {
    let mut requests = Requests::<GLOBAL, WORDS>::new(world, inst, true);
    let source = lanes.longs.source(inst.s[0]);
    let offset = inst.imm;
    for warp in lanes.active.first..lanes.active.last {
        let at = warp * WARP;
        let Some(addresses) = whole_warp(lanes, source, warp) else {
            continue;
        };
        let Some(span) = requests.take(world, addresses, offset, warp) else {
            continue;
        };
        let mut sources: [&[T]; 4] = [&[]; 4];
        let registers = 4 * WORDS / size_of::<T>();
        for (source, slot) in sources.iter_mut().zip(&inst.s[1..]).take(registers) {
            *source = &T::file(lanes).source(*slot)[at..at + WARP];
        }
        match requests.buffer {
            Some(buffer) if GLOBAL => {
                let mut words = Shared(&buffer.words);
                store_words::<T, WORDS>(
                    &mut words,
                    addresses,
                    offset,
                    buffer.base,
                    &span,
                    &sources,
                );
            }
            _ => {
                let mut words = Owned(&mut world.shared);
                store_words::<T, WORDS>(&mut words, addresses, offset, 0, &span, &sources);
            }
        }
    }
    requests.finish(world)
}

/// The addresses of a warp of which all lanes are active.
#[inline(always)]
fn whole_warp<'l>(lanes: &Lanes, source: &'l [u64], warp: usize) -> Option<&'l [u64; WARP]> {
    if lanes.active.mask[warp] != u32::MAX {
        return None;
    }
    source[warp * WARP..][..WARP].try_into().ok()
}

/// The requests of one instruction: their counts, and the buffer that they go to.
struct Requests<'a, const GLOBAL: bool, const WORDS: usize> {
    site: usize,
    is_store: bool,
    buffer: Option<&'a Buffer>,
    done: u32,
    sectors: u32,
    wavefronts: u32,
    bank_conflicts: u32,
}

impl<'a, const GLOBAL: bool, const WORDS: usize> Requests<'a, GLOBAL, WORDS> {
    const BYTES: u32 = 4 * WORDS as u32;

    #[inline(always)]
    fn new(world: &World<'a>, inst: &Inst, is_store: bool) -> Self {
        let site = world.program.accesses[inst.aux as usize].site as usize;
        let last = world.sites[site].buffer;
        let buffer = if GLOBAL {
            world.buffers.get(last).copied()
        } else {
            None
        };
        Self {
            site,
            is_store,
            buffer,
            done: 0,
            sectors: 0,
            wavefronts: 0,
            bank_conflicts: 0,
        }
    }

    /// Counts a warp's request, if it is all within one buffer, or within the block's shared memory.
    #[inline(always)]
    fn take(
        &mut self,
        world: &mut World<'a>,
        addresses: &[u64; WARP],
        offset: u64,
        warp: usize,
    ) -> Option<Span> {
        let span = Span::new(addresses, offset, u64::from(Self::BYTES))?;
        if GLOBAL {
            let bytes = (span.end - span.low) as usize;
            if self
                .buffer
                .is_none_or(|buffer| buffer.offset(span.low, bytes).is_none())
            {
                self.buffer = Some(world.find(self.site, span.low, bytes)?.0);
            }
            self.sectors += match (span.whole_stride(), span.stride) {
                (Some(stride), _) => counters::strided_sectors(span.first, stride),
                (_, Some(stride)) => counters::halves_sectors(addresses, offset, stride),
                _ => counters::scattered_sectors(addresses, offset),
            };
        } else {
            if span.end > u64::from(world.shared_bytes) {
                return None;
            }
            let wavefronts = match span.whole_stride() {
                Some(stride) => Wavefronts::strided(stride, Self::BYTES, self.is_store),
                None => Wavefronts::scattered(addresses, offset, Self::BYTES, self.is_store),
            };
            self.wavefronts += wavefronts.taken;
            self.bank_conflicts += wavefronts.bank_conflicts();
        }
        self.done |= 1 << warp;
        Some(span)
    }

    #[inline(always)]
    fn finish(self, world: &mut World) -> u32 {
        let requests = u64::from(self.done.count_ones());
        let count = &mut world.sites[self.site];
        count.executed += requests;
        count.requests += requests;
        count.sectors += u64::from(self.sectors);
        count.wavefronts += u64::from(self.wavefronts);
        count.bank_conflicts += u64::from(self.bank_conflicts);
        self.done
    }
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
        for (half, first) in [span.first, span.second].into_iter().enumerate() {
            let mut index = (first.wrapping_sub(base) / 4) as usize;
            for lane in 16 * half..16 * half + 16 {
                f(lane, index);
                index = index.wrapping_add(step);
            }
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
    if span.whole_stride() == Some(4 * WORDS as u64) {
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
            let high = if WORDS > 1 {
                Load::load(&words[index + 1])
            } else {
                0
            };
            out[lane] = T::joined(Load::load(&words[index]), high);
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
        if span.whole_stride() == Some(4 * WORDS as u64) {
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
