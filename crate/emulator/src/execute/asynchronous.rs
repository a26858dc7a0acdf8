//! Asynchronous copies that have been started and not yet been waited for, and what happens when they are.
//!
//! A copy takes place as late as a program that waits for it can see: when the wait that covers it is
//! executed, it reads its source and writes its destination. So a missing wait shows: the destination still
//! holds what it held, and a source that is overwritten too early gives the new values. What nobody waits for
//! is stored to global memory when the block ends. The instructions are in `copy`, `bulk` and `mbarrier`.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use crate::execute::atomic::{AtomicOp, update_global};
use crate::execute::half::Format;
use crate::execute::lanes::{Lanes, WARP};
use crate::execute::memory::for_lanes;
use crate::execute::program::Inst;
use crate::execute::queue::Queue;
use crate::execute::tile::{self, for_pieces, for_rows};
use crate::execute::world::{Fault, World};
use crate::memory::Buffer;
use crate::report::{Detail, FindingKind, Space};
use crate::tensor_map::{MOST_RANK, TensorMap};

/// The longest row of a tile: 256 elements of 8 bytes.
const MOST_ROW_BYTES: usize = 2048;

/// Bulk copies kept for one mbarrier at most; beyond, the oldest is done.
const MOST_BULK: usize = 4096;

/// `cp.async` of a warp's lanes.
#[derive(Debug, Clone)]
pub(crate) struct LaneCopies {
    pub(crate) site: u32,
    /// In shared memory.
    pub(crate) target: [u32; WARP],
    /// In global memory.
    pub(crate) source: [u64; WARP],
    /// Bytes of the source; zeros follow.
    pub(crate) read: [u8; WARP],
    pub(crate) bytes: u8,
}

/// A bulk or tensor copy of one thread.
#[derive(Debug, Clone)]
pub(crate) struct Bulk {
    pub(crate) site: u32,
    /// Address in shared memory.
    pub(crate) shared: u32,
    pub(crate) bytes: u32,
    pub(crate) what: What,
}

/// What a bulk copy moves.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// Nothing: a finding says why.
    Nothing,
    /// From global memory.
    Load { from: u64 },
    /// From elsewhere in shared memory.
    Move { from: u32 },
    /// To global memory, where `reduction` says what becomes of the old value.
    Store {
        to: u64,
        reduction: Option<Reduction>,
    },
    LoadTile {
        map: TensorMap,
        at: [i32; MOST_RANK],
    },
    StoreTile {
        map: TensorMap,
        at: [i32; MOST_RANK],
        reduction: Option<Reduction>,
    },
}

/// How a reducing copy combines an element with what is there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reduction {
    /// Elements of 4 or 8 bytes.
    Number { op: AtomicOp, bytes: u32 },
    /// 16-bit floats.
    Half {
        op: fn(Format, u16, u16) -> u16,
        format: Format,
    },
}

/// What is tied to one mbarrier beside its word in shared memory.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    bulk: Vec<Bulk>,
    /// What completing all bulk copies since the phase began takes off the transaction count.
    pub(crate) bytes: i64,
    /// `cp.async.mbarrier.arrive`: warp, lanes, and the position in the warp's queue that they wait for.
    arrivals: Vec<(usize, u32, u64)>,
}

impl Ties {
    pub(crate) fn arriving(&self) -> u32 {
        let lanes = self.arrivals.iter().map(|(_, lanes, _)| lanes.count_ones());
        lanes.sum()
    }
}

/// The block's asynchronous work.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// `cp.async`, by warp of the block.
    copies: Vec<Queue<LaneCopies>>,
    /// Bulk copies from shared to global memory, by warp of the block.
    stores: Vec<Queue<Bulk>>,
    /// The mbarriers that are initialised, by address.
    pub(crate) barriers: BTreeMap<u32, Ties>,
    /// Counts what may let a waiting thread go on.
    pub(crate) changes: u64,
}

impl Pending {
    /// Forgets everything: a block starts.
    pub(crate) fn clear(&mut self) {
        self.copies.iter_mut().for_each(Queue::clear);
        self.stores.iter_mut().for_each(Queue::clear);
        self.barriers.clear();
    }
}

/// The queue of a warp, which may be its first.
fn of_warp<W>(queues: &mut Vec<Queue<W>>, warp: usize) -> &mut Queue<W> {
    if queues.len() <= warp {
        queues.resize_with(warp + 1, Queue::default);
    }
    &mut queues[warp]
}

impl World<'_> {
    // ---- cp.async ----

    pub(crate) fn start_copies(&mut self, warp: usize, lanes: u32, copies: LaneCopies) {
        if let Some((lanes, copies)) = of_warp(&mut self.pending.copies, warp).start(lanes, copies)
        {
            self.copy_lanes(lanes, &copies);
        }
    }

    pub(crate) fn commit_copies(&mut self, warp: usize, lanes: u32) {
        if let Some((lanes, copies)) = of_warp(&mut self.pending.copies, warp).commit(lanes) {
            self.copy_lanes(lanes, &copies);
        }
    }

    /// Waits until at most so many of each lane's groups are left; for `None`, until nothing is.
    pub(crate) fn wait_for_copies(&mut self, warp: usize, lanes: u32, groups: Option<u32>) {
        let mut queue = std::mem::take(of_warp(&mut self.pending.copies, warp));
        for_each_due(&queue, lanes, groups).for_each(|(lanes, before)| {
            queue.take(lanes, before, |lanes, copies| {
                self.copy_lanes(lanes, copies)
            });
        });
        self.pending.copies[warp] = queue;
    }

    fn copy_lanes(&mut self, lanes: u32, copies: &LaneCopies) {
        for_lanes(lanes, |lane| {
            let mut bytes = [0; 16];
            let read = usize::from(copies.read[lane]);
            self.read_global(copies.site, copies.source[lane], &mut bytes[..read]);
            self.write_shared(copies.target[lane], &bytes[..usize::from(copies.bytes)]);
        });
    }

    // ---- bulk copies that a group waits for ----

    pub(crate) fn start_store(&mut self, warp: usize, lane: usize, bulk: Bulk) {
        if let Some((_, bulk)) = of_warp(&mut self.pending.stores, warp).start(1 << lane, bulk) {
            self.perform(&bulk);
        }
    }

    pub(crate) fn commit_stores(&mut self, warp: usize, lanes: u32) {
        if let Some((_, bulk)) = of_warp(&mut self.pending.stores, warp).commit(lanes) {
            self.perform(&bulk);
        }
    }

    pub(crate) fn wait_for_stores(&mut self, warp: usize, lanes: u32, groups: Option<u32>) {
        let mut queue = std::mem::take(of_warp(&mut self.pending.stores, warp));
        for_each_due(&queue, lanes, groups).for_each(|(lanes, before)| {
            queue.take(lanes, before, |_, bulk| self.perform(bulk));
        });
        self.pending.stores[warp] = queue;
    }

    /// The block ends: what was to be stored is.
    pub(crate) fn finish_stores(&mut self) {
        for warp in 0..self.pending.stores.len() {
            self.wait_for_stores(warp, u32::MAX, None);
        }
    }

    // ---- what is tied to an mbarrier ----

    /// Ties a copy to the mbarrier at an address, which is initialised.
    pub(crate) fn tie(&mut self, barrier: u32, bulk: Bulk) {
        let ties = self.pending.barriers.entry(barrier).or_default();
        ties.bytes += i64::from(bulk.bytes);
        ties.bulk.push(bulk);
        let oldest = (ties.bulk.len() > MOST_BULK).then(|| ties.bulk.remove(0));
        if let Some(oldest) = oldest {
            self.perform(&oldest);
        }
        self.pending.changes += 1;
    }

    /// Lanes arrive at an mbarrier when all copies that they have started are done.
    pub(crate) fn tie_arrival(&mut self, barrier: u32, warp: usize, lane: usize) {
        let end = of_warp(&mut self.pending.copies, warp).end();
        let ties = self.pending.barriers.entry(barrier).or_default();
        match ties.arrivals.last_mut() {
            Some((other, lanes, position))
                if (*other, *position) == (warp, end) && *lanes & (1 << lane) == 0 =>
            {
                *lanes |= 1 << lane;
            }
            _ => ties.arrivals.push((warp, 1 << lane, end)),
        }
        self.pending.changes += 1;
    }

    /// Does everything that is tied to an mbarrier.
    pub(crate) fn untie(&mut self, barrier: u32) {
        let Some(ties) = self.pending.barriers.get_mut(&barrier) else {
            return;
        };
        let Ties { bulk, arrivals, .. } = std::mem::take(ties);
        for bulk in &bulk {
            self.perform(bulk);
        }
        for (warp, lanes, before) in arrivals {
            let mut queue = std::mem::take(of_warp(&mut self.pending.copies, warp));
            queue.take(lanes, before, |lanes, copies| {
                self.copy_lanes(lanes, copies)
            });
            self.pending.copies[warp] = queue;
        }
    }

    // ---- moving bytes ----

    fn perform(&mut self, bulk: &Bulk) {
        let mut buffer = [0; MOST_ROW_BYTES];
        match &bulk.what {
            What::Nothing => {}
            What::LoadTile { map, at } => self.load_tile(bulk, map, at),
            What::StoreTile { map, at, reduction } => self.store_tile(bulk, map, at, *reduction),
            What::Load { from } => chunks(bulk.bytes, |at, count| {
                self.read_global(bulk.site, from + u64::from(at), &mut buffer[..count]);
                self.write_shared(bulk.shared + at, &buffer[..count]);
            }),
            What::Move { from } => chunks(bulk.bytes, |at, count| {
                self.read_shared(from + at, &mut buffer[..count]);
                self.write_shared(bulk.shared + at, &buffer[..count]);
            }),
            What::Store { to, reduction } => chunks(bulk.bytes, |at, count| {
                self.read_shared(bulk.shared + at, &mut buffer[..count]);
                self.write_global(bulk.site, to + u64::from(at), &buffer[..count], *reduction);
            }),
        }
    }

    fn load_tile(&mut self, bulk: &Bulk, map: &TensorMap, at: &[i32; MOST_RANK]) {
        let outside = tile::outside(map);
        let element = map.element.bytes() as usize;
        for_rows(map, at, |row| {
            let mut bytes = [0; MOST_ROW_BYTES];
            let bytes = &mut bytes[..map.row_bytes() as usize];
            for place in bytes.chunks_exact_mut(element) {
                place.copy_from_slice(&outside[..element]);
            }
            let from = row.skipped as usize * element;
            let inside = &mut bytes[from..from + row.inside as usize * element];
            self.read_global(bulk.site, row.address, inside);
            tile::convert(map.element, inside);
            for_pieces(
                map.swizzle,
                bulk.shared + row.offset,
                map.row_bytes(),
                |to, at| {
                    self.write_shared(to, &bytes[at..at + 16]);
                },
            );
        });
    }

    fn store_tile(
        &mut self,
        bulk: &Bulk,
        map: &TensorMap,
        at: &[i32; MOST_RANK],
        reduction: Option<Reduction>,
    ) {
        let element = map.element.bytes() as usize;
        for_rows(map, at, |row| {
            let mut bytes = [0; MOST_ROW_BYTES];
            for_pieces(
                map.swizzle,
                bulk.shared + row.offset,
                map.row_bytes(),
                |from, at| {
                    self.read_shared(from, &mut bytes[at..at + 16]);
                },
            );
            let from = row.skipped as usize * element;
            let inside = row.inside as usize * element;
            if inside == 0 {
                return;
            }
            // The hardware stores whole 16-byte pieces, as measured on an H200: behind the end of a row of other
            // lengths too. That is the padding of the tensor, or in no buffer.
            let whole = inside.next_multiple_of(16);
            let padded = self.find(bulk.site as usize, row.address, whole).is_some();
            let count = if padded { whole } else { inside };
            self.write_global(
                bulk.site,
                row.address,
                &bytes[from..from + count],
                reduction,
            );
        });
    }

    /// The part of a shared memory range that exists; the instruction has checked that all of it does.
    fn read_shared(&self, address: u32, out: &mut [u8]) {
        let words = self.shared.iter().skip(address as usize / 4);
        for (chunk, word) in out.chunks_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }

    /// Writes whole words.
    fn write_shared(&mut self, address: u32, bytes: &[u8]) {
        let words = self.shared.iter_mut().skip(address as usize / 4);
        for (chunk, word) in bytes.chunks_exact(4).zip(words) {
            *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        }
    }

    fn read_global(&mut self, site: u32, address: u64, out: &mut [u8]) {
        if let Some((buffer, offset)) = self.find(site as usize, address, out.len()) {
            buffer.read(offset, out);
        }
    }

    fn write_global(
        &mut self,
        site: u32,
        address: u64,
        bytes: &[u8],
        reduction: Option<Reduction>,
    ) {
        let Some((buffer, offset)) = self.find(site as usize, address, bytes.len()) else {
            return;
        };
        match reduction {
            None => buffer.write(offset, bytes),
            Some(reduction) => reduce(buffer, offset, bytes, reduction),
        }
    }

    // ---- findings ----

    /// A copy or an mbarrier is used against its rules.
    #[cold]
    pub(crate) fn broken(&mut self, lanes: &Lanes, inst: &Inst, at: usize, broken: Broken) {
        self.fault(Fault {
            kind: broken.kind,
            block: self.block,
            place: inst.place,
            space: Some(broken.space),
            thread: (lanes.first_warp * WARP + at) as u32,
            address: Some(broken.address),
            access_bytes: broken.bytes,
            is_store: broken.is_store,
            count: 1,
            detail: broken
                .rule
                .map_or(Detail::None, |rule| Detail::Rule { rule }),
        });
    }
}

/// What is wrong with an access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Broken {
    pub(crate) kind: FindingKind,
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_store: bool,
    /// In words, where the kind does not say it.
    pub(crate) rule: Option<&'static str>,
}

/// The lanes with the positions up to which their work is due, those with the same together.
fn for_each_due<W>(
    queue: &Queue<W>,
    lanes: u32,
    groups: Option<u32>,
) -> std::vec::IntoIter<(u32, u64)> {
    let mut parts: Vec<(u32, u64)> = Vec::new();
    for_lanes(lanes, |lane| {
        let due = match groups {
            Some(groups) => queue.due(lane, groups),
            None => queue.end(),
        };
        match parts.iter_mut().find(|(_, other)| *other == due) {
            Some((lanes, _)) => *lanes |= 1 << lane,
            None => parts.push((1 << lane, due)),
        }
    });
    parts.into_iter()
}

/// Goes through so many bytes in pieces.
fn chunks(bytes: u32, mut each: impl FnMut(u32, usize)) {
    for at in (0..bytes).step_by(MOST_ROW_BYTES) {
        each(at, (bytes - at).min(MOST_ROW_BYTES as u32) as usize);
    }
}

fn reduce(buffer: &Buffer, offset: usize, bytes: &[u8], reduction: Reduction) {
    let words = &buffer.words[offset / 4..];
    match reduction {
        Reduction::Number { op, bytes: size } => {
            for (at, element) in bytes.chunks_exact(size as usize).enumerate() {
                let mut value = [0; 8];
                value[..element.len()].copy_from_slice(element);
                let words = &words[at * element.len() / 4..];
                let value = u64::from_le_bytes(value);
                update_global(op, words, u64::from(size), value, 0);
            }
        }
        Reduction::Half { op, format } => {
            for (at, element) in bytes.chunks_exact(2).enumerate() {
                let value = u16::from_le_bytes([element[0], element[1]]);
                let shift = 16 * (at & 1);
                let _ = words[at / 2].fetch_update(Relaxed, Relaxed, |old| {
                    let new = op(format, (old >> shift) as u16, value);
                    Some(old & !(0xffff << shift) | u32::from(new) << shift)
                });
            }
        }
    }
}
