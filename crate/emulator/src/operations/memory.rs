//! PTX ISA: `ld`, `st` in every state space, for a warp at a time. How a lane's bytes become registers, too.

mod fast;
mod words;

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::check::{Touch, TouchAct, Unwritten};
use crate::counters;
use crate::counters::Wavefronts;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::{Active, Column, Lanes, Returned, Word};
use crate::machine::world::{Recorded, World};
use crate::memory::faults::Fault;
use crate::operations::drive::both;
use crate::operations::remote::Owner;
use crate::program::access::{AccessShape, Strength};
use crate::program::kinds::{GROUP_WARPS, WARP, for_lanes};
use crate::program::space::{FRAME, RANK_SHIFT, WINDOW_BYTES, WINDOWS, local_owner, window};
use crate::report::{Detail, FindingKind, Space};

/// One warp's data: word `w` of lane `l` is at `[w][l]`.
pub(crate) type Data = [[u32; WARP]; 4];

pub(crate) const LOAD_WORDS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) load::<u32>(lanes, world, inst));
pub(crate) const LOAD_LONGS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) load::<u64>(lanes, world, inst));
pub(crate) const STORE_WORDS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) store::<u32>(lanes, world, inst));
pub(crate) const STORE_LONGS: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) store::<u64>(lanes, world, inst));

/// A register's bits as loads and stores see them.
pub(crate) trait Stored: Word {
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

/// `d[0..count] = [s[0] + imm]`
#[inline(always)]
fn load<T: Stored>(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let program = world.program;
    let shape = &program.accesses[inst.aux as usize];
    // In a loop that spins, what is loaded so may be what another thread will store.
    world.waits += u64::from(shape.strength != Strength::Weak);
    // Not a closure: it would be compiled without the vector instructions.
    let done = match fast::form(shape, world) {
        Some(form) => fast::load::<T>(lanes, world, inst, form),
        None => 0,
    };
    let active = lanes.active;
    if all_done(&active, done) {
        return;
    }
    let count = shape.count as usize;
    let mut out: [Column<T>; 4] = Default::default();
    for (out, slot) in out.iter_mut().zip(inst.d).take(count) {
        *out = T::file_mut(lanes).take(slot);
    }
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 || done & (1 << warp) != 0 {
            continue;
        }
        let at = warp * WARP;
        let mut data: Data = [[0; WARP]; 4];
        Request::new(lanes, inst, shape, warp, mask, false).run(lanes, world, &mut data);
        for (element, out) in out.iter_mut().enumerate().take(count) {
            unpack(&mut out[at..at + WARP], &data, shape, element, mask);
        }
    }
    for (out, slot) in out.into_iter().zip(inst.d).take(count) {
        T::file_mut(lanes).give(slot, out);
    }
}

/// Nothing is left to do of an access of which these warps, as bits, are done.
#[inline(always)]
fn all_done(active: &Active, done: u32) -> bool {
    let left = |(warp, mask): (usize, &u32)| *mask != 0 && done & (1 << warp) == 0;
    !active.mask.iter().enumerate().any(left)
}

/// `[s[0] + imm] = s[1..=count]`
#[inline(always)]
fn store<T: Stored>(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let program = world.program;
    let shape = &program.accesses[inst.aux as usize];
    world.changes += 1;
    let active = lanes.active;
    let done = match fast::form(shape, world) {
        Some(form) => fast::store::<T>(lanes, world, inst, form),
        None => 0,
    };
    if all_done(&active, done) {
        return;
    }
    for warp in active.first..active.last {
        let mask = active.mask[warp];
        if mask == 0 || done & (1 << warp) != 0 {
            continue;
        }
        let at = warp * WARP;
        let mut data: Data = [[0; WARP]; 4];
        for element in 0..shape.count as usize {
            let source = &T::file(lanes).source(inst.s[1 + element])[at..at + WARP];
            pack(&mut data, source, shape, element);
        }
        Request::new(lanes, inst, shape, warp, mask, true).run(lanes, world, &mut data);
    }
}

/// Moves one element of every lane from its words into a register.
#[inline(always)]
fn unpack<T: Stored>(out: &mut [T], data: &Data, shape: &AccessShape, element: usize, mask: u32) {
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
fn pack<T: Stored>(data: &mut Data, source: &[T], shape: &AccessShape, element: usize) {
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

/// One memory instruction as one warp executes it.
pub(crate) struct Request<'r> {
    inst: &'r Inst,
    shape: &'r AccessShape,
    addresses: [u64; WARP],
    pub(crate) mask: u32,
    /// Warp in the group.
    warp: usize,
    is_store: bool,
}

impl<'r> Request<'r> {
    pub(crate) fn new(
        lanes: &Lanes,
        inst: &'r Inst,
        shape: &'r AccessShape,
        warp: usize,
        mask: u32,
        is_store: bool,
    ) -> Self {
        let source = &lanes.longs.source(inst.s[0])[warp * WARP..][..WARP];
        let mut addresses = [0; WARP];
        for (address, base) in addresses.iter_mut().zip(source) {
            *address = base.wrapping_add(inst.imm);
        }
        Self::at(addresses, inst, shape, warp, mask, is_store)
    }

    /// An access that is a part of an instruction, at addresses of its own.
    pub(crate) fn at(
        addresses: [u64; WARP],
        inst: &'r Inst,
        shape: &'r AccessShape,
        warp: usize,
        mask: u32,
        is_store: bool,
    ) -> Self {
        Self {
            inst,
            shape,
            addresses,
            mask,
            warp,
            is_store,
        }
    }

    #[inline(never)]
    pub(crate) fn run(&self, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        world.changes += u64::from(self.is_store);
        match self.shape.space {
            Some(Space::Global) => self.global(lanes, world, data, self.shape.site as usize),
            Some(Space::Shared) => self.shared(lanes, world, data, self.shape.site as usize),
            Some(space) => self.elsewhere(space, lanes, world, data),
            None => self.generic(lanes, world, data),
        }
    }

    // ---- global memory ----

    fn global(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let sectors = counters::masked_sectors(&self.addresses, self.mask);
        self.count(lanes, world, site, Space::Global, |count| {
            count.requests += 1;
            count.sectors += u64::from(sectors);
        });
        self.watch(Space::Global, lanes, world, data);
        if world.touches.is_some() {
            let (access, lanes) = (
                (site, lanes.first_warp + self.warp),
                (&self.addresses, self.mask),
            );
            world.mark(access, lanes, self.shape.bytes(), self.is_store);
        }
        self.global_lanes(lanes, world, data, site);
    }

    /// Lane by lane: some are idle, or something is wrong.
    fn global_lanes(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let bytes = self.shape.bytes();
        for_lanes(self.mask, |lane| {
            let address = self.addresses[lane];
            if !address.is_multiple_of(u64::from(bytes)) {
                return self.fault(
                    Wrong {
                        kind: FindingKind::Misaligned,
                        space: Space::Global,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            }
            let found = world.find(site, address, bytes as usize);
            if found.is_some()
                && let Some((kind, detail)) = world.heap_fault(site, address, u64::from(bytes))
            {
                world.detail = detail;
                let space = Space::Global;
                let wrong = Wrong {
                    kind,
                    space,
                    lane,
                    address,
                };
                return self.fault(wrong, lanes, world, data);
            }
            match found {
                Some((buffer, offset)) => self.lane(&mut Shared(&buffer.words), offset, lane, data),
                None => self.fault(
                    Wrong {
                        kind: FindingKind::OutOfBounds,
                        space: Space::Global,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                ),
            }
        });
    }

    // ---- shared memory ----

    fn shared(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let is_plain = |lane: usize| self.addresses[lane] >> RANK_SHIFT == 0;
        let mut plain = true;
        for_lanes(self.mask, |lane| plain &= is_plain(lane));
        if !plain {
            return self.shared_of_cluster(lanes, world, data, site);
        }
        let bytes = self.shape.bytes();
        // Lanes that agree on an address save a pass through the banks in neither stores nor loads of matrices.
        let is_strict = self.is_store || self.shape.is_matrix_row();
        let wavefronts = Wavefronts::masked(&self.addresses, self.mask, bytes, is_strict);
        self.count(lanes, world, site, Space::Shared, |count| {
            count.requests += 1;
            count.wavefronts += u64::from(wavefronts.taken);
            count.bank_conflicts += u64::from(wavefronts.bank_conflicts());
        });
        self.watch(Space::Shared, lanes, world, data);
        for_lanes(self.mask, |lane| {
            let address = self.addresses[lane];
            if !address.is_multiple_of(u64::from(bytes)) {
                self.fault(
                    Wrong {
                        kind: FindingKind::Misaligned,
                        space: Space::Shared,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else if !world.has_shared(address, u64::from(bytes)) {
                self.fault(
                    Wrong {
                        kind: FindingKind::OutOfBounds,
                        space: Space::Shared,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else {
                self.lane(&mut Owned(&mut world.shared), address as usize, lane, data);
            }
        });
    }

    /// The same where addresses may say whose memory they mean.
    #[cold]
    fn shared_of_cluster(&self, lanes: &Lanes, world: &mut World, data: &mut Data, site: usize) {
        let bytes = self.shape.bytes();
        let mut own = 0;
        for_lanes(self.mask, |lane| {
            let place = world.shared_place(self.addresses[lane]);
            own |= u32::from(!matches!(place, Ok((Owner::Other(_), _)))) << lane;
        });
        let is_strict = self.is_store || self.shape.is_matrix_row();
        // What goes to other blocks passes by the banks of this one.
        let wavefronts =
            (own != 0).then(|| Wavefronts::masked(&self.addresses, own, bytes, is_strict));
        self.count(lanes, world, site, Space::Shared, |count| {
            count.requests += 1;
            if let Some(wavefronts) = wavefronts {
                count.wavefronts += u64::from(wavefronts.taken);
                count.bank_conflicts += u64::from(wavefronts.bank_conflicts());
            }
        });
        if world.check.is_some() {
            let strength = self.shape.strength;
            let touch = self.touch(Space::Shared, lanes, data);
            world.touch_shared(&touch, strength);
        }
        for_lanes(self.mask, |lane| {
            let address = self.addresses[lane];
            let found = match address.is_multiple_of(u64::from(bytes)) {
                true => world.shared_words(address, u64::from(bytes)),
                false => Err((FindingKind::Misaligned, Detail::None)),
            };
            match found {
                Ok(words) => self.lane(&mut Owned(words), address as usize % 4, lane, data),
                Err((kind, detail)) => {
                    world.detail = detail;
                    let space = Space::Shared;
                    let wrong = Wrong {
                        kind,
                        space,
                        lane,
                        address,
                    };
                    self.fault(wrong, lanes, world, data);
                }
            }
        });
    }

    /// One lane's access at a byte offset that has been checked.
    #[inline(always)]
    fn lane(&self, words: &mut impl Words, offset: usize, lane: usize, data: &mut Data) {
        let bytes = self.shape.bytes();
        let at = offset / 4;
        if bytes < 4 {
            let (shift, field) = (8 * (offset as u32 & 3), (1u32 << (8 * bytes)) - 1);
            if self.is_store {
                words.merge(at, field << shift, (data[0][lane] & field) << shift);
            } else {
                data[0][lane] = (words.load(at) >> shift) & field;
            }
            return;
        }
        for (index, row) in data.iter_mut().enumerate().take(bytes as usize / 4) {
            if self.is_store {
                words.store(at + index, row[lane]);
            } else {
                row[lane] = words.load(at + index);
            }
        }
    }

    // ---- the other spaces ----

    #[inline(never)]
    fn elsewhere(&self, space: Space, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        match space {
            Space::Local => self.local(
                lanes,
                world,
                data,
                &self.addresses,
                self.mask,
                self.shape.site as usize,
            ),
            Space::Const => {
                let constants = world.constants;
                self.read_only((Space::Const, constants), self.mask, lanes, world, data);
            }
            _ => self.param(lanes, world, data),
        }
    }

    /// Parameters of the kernel are constants; those of a called function lie in the caller's local memory.
    fn param(&self, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        let (mask, addresses) = (self.mask, &self.addresses);
        let mut frames = 0;
        for_lanes(mask, |lane| {
            if addresses[lane] & FRAME != 0 {
                frames |= 1 << lane;
            }
        });
        if frames != 0 {
            let framed = addresses.map(|address| address & !FRAME);
            self.local(
                lanes,
                world,
                data,
                &framed,
                frames,
                self.shape.site as usize,
            );
        }
        if mask & !frames != 0 {
            let params = world.params;
            self.read_only((Space::Param, params), mask & !frames, lanes, world, data);
        }
    }

    fn read_only(
        &self,
        (space, words): (Space, &[u32]),
        mask: u32,
        lanes: &Lanes,
        world: &mut World,
        data: &mut Data,
    ) {
        let bytes = u64::from(self.shape.bytes());
        self.count(lanes, world, self.shape.site as usize, space, |count| {
            count.requests += 1
        });
        for_lanes(mask, |lane| {
            let address = self.addresses[lane];
            if self.is_store {
                self.fault(
                    Wrong {
                        kind: FindingKind::InvalidAddress,
                        space,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else if !address.is_multiple_of(bytes) {
                self.fault(
                    Wrong {
                        kind: FindingKind::Misaligned,
                        space,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else if address
                .checked_add(bytes)
                .is_none_or(|end| end > words.len() as u64 * 4)
            {
                self.fault(
                    Wrong {
                        kind: FindingKind::OutOfBounds,
                        space,
                        lane,
                        address,
                    },
                    lanes,
                    world,
                    data,
                );
            } else {
                self.lane(&mut Constant(words), address as usize, lane, data);
            }
        });
    }

    fn local(
        &self,
        lanes: &mut Lanes,
        world: &mut World,
        data: &mut Data,
        addresses: &[u64; WARP],
        mask: u32,
        site: usize,
    ) {
        let bytes = u64::from(self.shape.bytes());
        let (mut owners, mut offsets) = ([0; WARP], *addresses);
        for_lanes(mask, |lane| {
            owners[lane] = lanes.thread(self.warp * WARP + lane);
            // Parameters of calls lie in frames too, of which the program has no pointers.
            if !self.shape.uncounted {
                let limit = lanes.local_bytes();
                (owners[lane], offsets[lane]) = local_owner(addresses[lane], owners[lane], limit);
            }
        });
        let addresses = &offsets;
        if !self.shape.uncounted {
            let sectors = counters::local_sectors(addresses, mask, bytes as u32);
            self.count(lanes, world, site, Space::Local, |count| {
                // Each word of the lanes is a request of its own.
                count.requests += bytes.div_ceil(4);
                count.sectors += u64::from(sectors);
            });
        }
        let stride = GROUP_WARPS * WARP;
        for_lanes(mask, |lane| {
            let address = addresses[lane];
            if let Some((kind, detail)) =
                self.wrong_local(lane, owners[lane], address, lanes, world)
            {
                world.detail = detail;
                let space = Space::Local;
                let wrong = Wrong {
                    kind,
                    space,
                    lane,
                    address,
                };
                return self.fault(wrong, lanes, world, data);
            }
            let mut words = Interleaved {
                words: &mut lanes.local,
                stride,
                lane: self.warp * WARP + lane,
            };
            self.lane(&mut words, address as usize, lane, data);
            if world.check.is_some() && !self.shape.uncounted {
                self.watch_local(lane, address, lanes, world);
            }
        });
    }

    /// What is wrong with a lane's access to local memory at an offset in that of a thread.
    #[inline(always)]
    fn wrong_local(
        &self,
        lane: usize,
        owner: u32,
        offset: u64,
        lanes: &Lanes,
        world: &World,
    ) -> Option<(FindingKind, Detail)> {
        let (at, bytes) = (self.warp * WARP + lane, u64::from(self.shape.bytes()));
        if owner != lanes.thread(at) {
            let detail = Detail::OtherLocal { thread: owner };
            return Some((FindingKind::InvalidAddress, detail));
        }
        if !offset.is_multiple_of(bytes) {
            return Some((FindingKind::Misaligned, Detail::None));
        }
        match offset.checked_add(bytes) {
            Some(end) if end <= lanes.local_bytes() => {
                let detail = self.dead_frame(at, end, lanes, world)?;
                Some((FindingKind::InvalidAddress, detail))
            }
            _ => Some((FindingKind::OutOfBounds, Detail::None)),
        }
    }

    /// What is wrong with an access to a lane's local memory up to `end`, if it lies in the frame of a function that
    /// has returned. Parameters of calls lie in frames too, of which the program has no pointers.
    #[inline(always)]
    fn dead_frame(&self, at: usize, end: u64, lanes: &Lanes, world: &World) -> Option<Detail> {
        if self.shape.uncounted || world.check.is_none() {
            return None;
        }
        let frame = &lanes.frame;
        let left = frame.left_at(end - 1, at);
        if left.is_none() && end <= frame.end.max(frame.tops[at]) {
            return None;
        }
        let program = world.program;
        let function = left.map(|function| match function {
            Returned::Called(number) => program.functions[number as usize].name.clone(),
            Returned::Inlined(number) => program.inlined[number as usize].clone(),
        });
        Some(Detail::DeadFrame { function })
    }

    /// A generic access: each lane's address says which space it means.
    #[inline(never)]
    fn generic(&self, lanes: &mut Lanes, world: &mut World, data: &mut Data) {
        let mut masks = [0u32; 5];
        for_lanes(self.mask, |lane| {
            let window = self.addresses[lane].wrapping_sub(WINDOWS) / WINDOW_BYTES;
            masks[if window < 4 { window as usize + 1 } else { 0 }] |= 1 << lane;
        });
        let site = self.shape.site as usize;
        let part = |mask: u32, space: Space| {
            let base = window(space);
            Request {
                addresses: self.addresses.map(|address| address.wrapping_sub(base)),
                mask,
                ..*self
            }
        };
        if masks[0] != 0 {
            part(masks[0], Space::Global).global(lanes, world, data, site);
        }
        if masks[1] != 0 {
            part(masks[1], Space::Shared).shared(lanes, world, data, site + 1);
        }
        if masks[2] != 0 {
            let part = part(masks[2], Space::Local);
            part.local(lanes, world, data, &part.addresses, masks[2], site + 2);
        }
        if masks[3] != 0 {
            let (part, constants) = (part(masks[3], Space::Const), world.constants);
            part.read_only((Space::Const, constants), masks[3], lanes, world, data);
        }
        if masks[4] != 0 {
            part(masks[4], Space::Param).param(lanes, world, data);
        }
    }

    // ---- bookkeeping ----

    /// Shows the access to the launch's checks.
    #[inline(always)]
    fn watch(&self, space: Space, lanes: &Lanes, world: &mut World, data: &Data) {
        if world.check.is_none() {
            return;
        }
        let touch = self.touch(space, lanes, data);
        let strength = self.shape.strength;
        world.touch(&touch, strength);
    }

    /// The access as the launch's checks see it.
    fn touch<'t>(&'t self, space: Space, lanes: &Lanes, data: &'t Data) -> Touch<'t> {
        Touch {
            space,
            place: self.inst.place,
            warp: lanes.first_warp + self.warp,
            mask: self.mask,
            addresses: &self.addresses,
            bytes: self.shape.bytes(),
            act: if self.is_store {
                TouchAct::Store(data)
            } else {
                TouchAct::Load
            },
            is_narrow: self.shape.is_narrow,
            is_constant: self.shape.is_constant,
            wanted: self.shape.wanted,
            is_copy: false,
        }
    }

    #[cold]
    fn watch_local(&self, lane: usize, address: u64, lanes: &Lanes, world: &mut World) {
        let (group, bytes) = (lanes.first_warp / GROUP_WARPS, self.shape.bytes());
        let at = self.warp * WARP + lane;
        let Some(shadow) = &mut world.check else {
            return;
        };
        let (offset, is_store) = (address as usize, self.is_store);
        let (fresh, is_alone) = shadow.local(group, at, offset, bytes as usize, is_store);
        let unwritten = Unwritten {
            bytes: fresh,
            is_alone,
        };
        if let Some(detail) = unwritten.mistake((bytes, self.shape.wanted), world.program) {
            world.fault(Fault {
                kind: FindingKind::Uninitialized,
                block: world.block,
                place: self.inst.place,
                space: Some(Space::Local),
                thread: (lanes.first_warp * WARP + at) as u32,
                address: Some(address),
                access_bytes: bytes,
                is_store: false,
                count: 1,
                detail,
            });
        }
    }

    #[inline(always)]
    fn count(
        &self,
        lanes: &Lanes,
        world: &mut World,
        site: usize,
        space: Space,
        add: impl FnOnce(&mut crate::machine::world::SiteCount),
    ) {
        let count = &mut world.sites[site];
        count.executed += 1;
        add(count);
        if world.trace.is_some() {
            world.record(&Recorded {
                site,
                space,
                is_store: self.is_store,
                access_bytes: self.shape.bytes(),
                warp: lanes.first_warp + self.warp,
                mask: self.mask,
                addresses: &self.addresses,
            });
        }
    }

    /// One lane did something wrong: note it, and leave the access out (a load gives zero).
    #[cold]
    fn fault(&self, wrong: Wrong, lanes: &Lanes, world: &mut World, data: &mut Data) {
        let Wrong {
            kind,
            space,
            lane,
            address,
        } = wrong;
        if !self.is_store {
            for row in data.iter_mut() {
                row[lane] = 0;
            }
        }
        let thread = ((lanes.first_warp + self.warp) * WARP + lane) as u32;
        let detail = std::mem::take(&mut world.detail);
        world.fault(Fault {
            kind,
            block: world.block,
            place: self.inst.place,
            space: Some(space),
            thread,
            address: Some(address),
            access_bytes: self.shape.bytes(),
            is_store: self.is_store,
            count: 1,
            detail,
        });
    }
}

/// What one lane did wrong.
struct Wrong {
    kind: FindingKind,
    space: Space,
    lane: usize,
    address: u64,
}

/// Words of some memory.
trait Words {
    fn load(&self, at: usize) -> u32;
    fn store(&mut self, at: usize, value: u32);
    /// Stores the bits of `value` that are set in `field`.
    fn merge(&mut self, at: usize, field: u32, value: u32);
}

/// Memory that other threads use too.
struct Shared<'w>(&'w [AtomicU32]);

impl Words for Shared<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self.0[at].load(Relaxed)
    }
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self.0[at].store(value, Relaxed);
    }
    #[inline(always)]
    fn merge(&mut self, at: usize, field: u32, value: u32) {
        // Another thread may store the other bytes of this word.
        let _ = self.0[at].fetch_update(Relaxed, Relaxed, |old| Some((old & !field) | value));
    }
}

/// Memory of this worker's block.
struct Owned<'w>(&'w mut [u32]);

impl Words for Owned<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> u32 {
        self.0[at]
    }
    #[inline(always)]
    fn store(&mut self, at: usize, value: u32) {
        self.0[at] = value;
    }
    #[inline(always)]
    fn merge(&mut self, at: usize, field: u32, value: u32) {
        self.0[at] = (self.0[at] & !field) | value;
    }
}

/// One lane's part of a group's local memory.
struct Interleaved<'w> {
    words: &'w mut [u32],
    stride: usize,
    lane: usize,
}

impl Words for Interleaved<'_> {
    fn load(&self, at: usize) -> u32 {
        self.words[at * self.stride + self.lane]
    }
    fn store(&mut self, at: usize, value: u32) {
        self.words[at * self.stride + self.lane] = value;
    }
    fn merge(&mut self, at: usize, field: u32, value: u32) {
        let word = &mut self.words[at * self.stride + self.lane];
        *word = (*word & !field) | value;
    }
}

/// Memory that cannot be stored to; the caller has checked that nothing is.
struct Constant<'w>(&'w [u32]);

impl Words for Constant<'_> {
    fn load(&self, at: usize) -> u32 {
        self.0[at]
    }
    fn store(&mut self, _at: usize, _value: u32) {}
    fn merge(&mut self, _at: usize, _field: u32, _value: u32) {}
}
