//! Moving the bytes of asynchronous copies, now that they have been waited for.

use crate::check::{CopyAct, CopyTouch, Source, Touch, TouchAct};
use crate::machine::pending::{Bulk, LaneCopies, Origin, Reduction, What};
use crate::machine::world::World;
use crate::memory::Buffer;
use crate::memory::touches::Touch as Mark;
use crate::operations::asynchronous::idle::idle_sectors;
use crate::operations::atomic::update_global;
use crate::operations::tile;
use crate::operations::tile::{for_pieces, for_rows};
use crate::program::Path;
use crate::program::access::{SiteInfo, Strength, Wanted};
use crate::program::kinds::{WARP, for_lanes};
use crate::report::Space;
use crate::tensor_map::{MOST_RANK, TensorMap};

/// The longest row of a tile: 256 elements of 8 bytes.
const MOST_ROW_BYTES: usize = 2048;

impl World<'_> {
    pub(super) fn copy_lanes(&mut self, lanes: u32, copies: &LaneCopies) {
        for_lanes(lanes, |lane| {
            let mut bytes = [0; 16];
            let read = usize::from(copies.read[lane]);
            let by = Origin {
                thread: copies.by.thread + lane as u32,
                early: copies.by.early >> lane & 1,
                ..copies.by
            };
            self.end_source(lane_source(copies, lane));
            self.read_global(by, copies.site, copies.source[lane], &mut bytes[..read]);
            let bytes = &bytes[..usize::from(copies.bytes)];
            self.write_shared(by, copies.target[lane], bytes);
        });
    }

    /// Shows the launch's checks where lanes will be written to.
    pub(super) fn begin_lanes(&mut self, lanes: u32, copies: &LaneCopies) {
        if self.check.is_none() {
            return;
        }
        for_lanes(lanes, |lane| {
            let (target, bytes) = (u64::from(copies.target[lane]), usize::from(copies.bytes));
            let by = Origin {
                thread: copies.by.thread + lane as u32,
                early: copies.by.early >> lane & 1,
                ..copies.by
            };
            self.watch(by, Space::Shared, target, bytes, Deed::Begin);
            if let Some(shadow) = &mut self.check {
                shadow.start_source(lane_source(copies, lane));
            }
        });
    }

    /// Shows the launch's checks where a bulk copy will write to shared memory.
    pub(super) fn begin(&mut self, bulk: &Bulk) {
        if self.check.is_none() {
            return;
        }
        let by = bulk.by;
        self.begin_sources(bulk);
        match &bulk.what {
            What::Load { .. } | What::Move { .. } => {
                let (address, bytes) = (u64::from(bulk.shared), bulk.bytes as usize);
                self.watch(by, Space::Shared, address, bytes, Deed::Begin);
            }
            What::LoadTile { map, at } => for_rows(map, at, |row| {
                let (address, bytes) = (bulk.shared + row.offset, map.row_bytes());
                if !self.take_row(by, map, address, CopyAct::Begin) {
                    for_pieces(map.swizzle, address, bytes, |to, _| {
                        self.watch(by, Space::Shared, u64::from(to), 16, Deed::Begin);
                    });
                }
            }),
            What::Nothing | What::Bytes { .. } | What::Store { .. } | What::StoreTile { .. } => {}
        }
    }

    /// Shows the launch's checks what a bulk copy will read.
    fn begin_sources(&mut self, bulk: &Bulk) {
        let sites = &self.program.sites;
        // What copies have brought to shared memory needs no proxy fence.
        let is_copy = |place: u32| {
            let is_here = |site: &SiteInfo| {
                site.place == place && !matches!(site.path, Path::Registers | Path::Sent)
            };
            sites.iter().any(is_here)
        };
        let Some(shadow) = &mut self.check else {
            return;
        };
        for_sources(bulk, |source| {
            if source.space == Space::Shared {
                shadow.show_source(source, is_copy);
            }
            shadow.start_source(source);
        });
    }

    fn end_source(&mut self, source: Source) {
        if let Some(shadow) = &mut self.check {
            shadow.end_source(source);
        }
    }

    pub(super) fn perform(&mut self, bulk: &Bulk) {
        let Some(sent) = bulk.sent else {
            return self.carry_out(bulk);
        };
        let check = self.check.take();
        self.carry_out(bulk);
        self.check = check;
        self.land(bulk, sent);
    }

    fn carry_out(&mut self, bulk: &Bulk) {
        let mut buffer = [0; MOST_ROW_BYTES];
        if self.check.is_some() {
            for_sources(bulk, |source| self.end_source(source));
        }
        match &bulk.what {
            What::Nothing => {}
            What::Bytes {
                bytes,
                reduction: None,
            } => self.write_shared(bulk.by, bulk.shared, bytes),
            What::Bytes {
                bytes,
                reduction: Some(reduction),
            } => self.reduce_shared(bulk.shared, bytes, *reduction),
            What::LoadTile { map, at } => self.load_tile(bulk, map, at),
            What::StoreTile { map, at, reduction } => self.store_tile(bulk, map, at, *reduction),
            What::Load { from } => chunks(bulk.bytes, |at, count| {
                self.read_global(
                    bulk.by,
                    bulk.site,
                    from + u64::from(at),
                    &mut buffer[..count],
                );
                self.write_shared(bulk.by, bulk.shared + at, &buffer[..count]);
            }),
            What::Move { from } => chunks(bulk.bytes, |at, count| {
                self.read_shared(bulk.by, from + at, &mut buffer[..count], count);
                self.write_shared(bulk.by, bulk.shared + at, &buffer[..count]);
            }),
            What::Store { to, reduction } => chunks(bulk.bytes, |at, count| {
                self.read_shared(bulk.by, bulk.shared + at, &mut buffer[..count], count);
                self.write_global(
                    bulk,
                    to + u64::from(at),
                    &buffer[..count],
                    count,
                    *reduction,
                );
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
            self.read_global(bulk.by, bulk.site, row.address, inside);
            tile::convert(map.element, inside);
            let to = bulk.shared + row.offset;
            let is_taken = self.take_row(bulk.by, map, to, CopyAct::Write);
            for_pieces(map.swizzle, to, map.row_bytes(), |to, at| {
                let piece = &bytes[at..at + 16];
                match is_taken {
                    true => self.put_shared(to, piece),
                    false => self.write_shared(bulk.by, to, piece),
                }
            });
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
            let inside = row.inside as usize * element;
            if inside == 0 {
                return;
            }
            for_pieces(
                map.swizzle,
                bulk.shared + row.offset,
                map.row_bytes(),
                |from, at| {
                    // A store starts at no negative coordinate, so that what is inside comes first.
                    let watched = inside.saturating_sub(at).min(16);
                    self.read_shared(bulk.by, from, &mut bytes[at..at + 16], watched);
                },
            );
            let from = row.skipped as usize * element;
            // The hardware stores whole 16-byte pieces, as measured on an H200: behind the end of a row of other
            // lengths too. That is the padding of the tensor, or in no buffer.
            let whole = inside.next_multiple_of(16);
            let padded = self.find(bulk.site as usize, row.address, whole).is_some();
            let count = if padded { whole } else { inside };
            let bytes = &bytes[from..from + count];
            self.write_global(bulk, row.address, bytes, inside, reduction);
        });
    }

    /// The part of a shared memory range that exists; the instruction has checked that all of it does. The launch's
    /// checks see the first `watched` bytes.
    fn read_shared(&mut self, by: Origin, address: u32, out: &mut [u8], watched: usize) {
        self.watch(by, Space::Shared, u64::from(address), watched, Deed::Read);
        let words = self.shared.iter().skip(address as usize / 4);
        for (chunk, word) in out.chunks_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }

    /// Bytes of the block's shared memory, which exist.
    pub(crate) fn shared_bytes_at(&self, address: u32, count: u32) -> Vec<u8> {
        let words = self.shared.iter().skip(address as usize / 4);
        let bytes = words.flat_map(|word| word.to_le_bytes());
        bytes.take(count as usize).collect()
    }

    /// Combines an element with what is in shared memory.
    fn reduce_shared(&mut self, address: u32, bytes: &[u8], reduction: Reduction) {
        let mut value = [0; 8];
        let count = bytes.len().min(8);
        value[..count].copy_from_slice(&bytes[..count]);
        let value = u64::from_le_bytes(value);
        let Some(words) = self.shared.get_mut(address as usize / 4..) else {
            return;
        };
        match words {
            [low, high, ..] if reduction.bytes == 8 => {
                let old = u64::from(*low) | u64::from(*high) << 32;
                let new = reduction.op.apply64(old, value, 0);
                (*low, *high) = (new as u32, (new >> 32) as u32);
            }
            [word, ..] => *word = reduction.op.apply32(*word, value as u32, 0, true),
            [] => {}
        }
    }

    /// Writes whole words.
    pub(crate) fn write_shared(&mut self, by: Origin, address: u32, bytes: &[u8]) {
        let deed = Deed::Write(bytes);
        self.watch(by, Space::Shared, u64::from(address), bytes.len(), deed);
        self.put_shared(address, bytes);
    }

    fn put_shared(&mut self, address: u32, bytes: &[u8]) {
        let words = self.shared.iter_mut().skip(address as usize / 4);
        for (chunk, word) in bytes.chunks_exact(4).zip(words) {
            *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        }
    }

    fn read_global(&mut self, by: Origin, site: u32, address: u64, out: &mut [u8]) {
        self.watch(by, Space::Global, address, out.len(), Deed::Read);
        let range = address..address.saturating_add(out.len() as u64);
        let mark = Mark {
            is_store: false,
            is_early: by.early != 0,
        };
        self.mark_range(site as usize, range, out.len() as u32, mark);
        if let Some((buffer, offset)) = self.find(site as usize, address, out.len()) {
            buffer.read(offset, out);
        }
    }

    fn write_global(
        &mut self,
        bulk: &Bulk,
        address: u64,
        bytes: &[u8],
        watched: usize,
        reduction: Option<Reduction>,
    ) {
        let deed = match reduction {
            None => Deed::Write(bytes),
            Some(_) => Deed::Reduce,
        };
        self.watch(bulk.by, Space::Global, address, watched, deed);
        let range = address..address.saturating_add(bytes.len() as u64);
        let mark = |is_store| Mark {
            is_store,
            is_early: bulk.by.early != 0,
        };
        let each = bytes.len() as u32;
        self.mark_range(bulk.site as usize, range.clone(), each, mark(true));
        if reduction.is_some() {
            self.mark_range(bulk.site as usize, range, each, mark(false));
        }
        let Some((buffer, offset)) = self.find(bulk.site as usize, address, bytes.len()) else {
            return;
        };
        match reduction {
            None => buffer.write(offset, bytes),
            Some(reduction) => {
                reduce(buffer, offset, bytes, reduction);
                let idle = idle_sectors(address, &bytes[..watched], reduction);
                // The second site of a copy is what it writes.
                self.sites[bulk.site as usize + 1].excess_sectors += idle;
            }
        }
    }

    /// Shows the launch's checks what a copy does to a row of a tile in shared memory as a whole; returns whether that was
    /// all there is to it.
    fn take_row(&mut self, by: Origin, map: &TensorMap, address: u32, act: CopyAct) -> bool {
        let bytes = map.row_bytes();
        let touch = CopyTouch {
            space: Space::Shared,
            place: by.place,
            thread: by.thread,
            address: u64::from(address),
            bytes: u64::from(bytes),
            act,
        };
        tile::stays(map.swizzle, address, bytes) && self.take_copy(&touch)
    }

    /// Shows the launch's checks what a copy is about to do to a range; returns whether nothing is wrong with it, so that
    /// it need not be shown piece by piece.
    fn take_copy(&mut self, touch: &CopyTouch) -> bool {
        // The others of a cluster are asked for each piece.
        if touch.space == Space::Shared && self.cluster.is_some() {
            return false;
        }
        self.shadow()
            .is_some_and(|(shadow, around)| shadow.take_copy(touch, &around))
    }

    /// Shows what a copy is about to do to the launch's checks, as accesses of the thread that started it.
    fn watch(&mut self, by: Origin, space: Space, address: u64, bytes: usize, deed: Deed) {
        let Some(shadow) = &self.check else {
            return;
        };
        // A row of a tensor ends with an element; what follows in its granule is padding.
        let bytes = bytes.next_multiple_of(shadow.granule());
        let act = match deed {
            Deed::Begin => Some(CopyAct::Begin),
            Deed::Read => Some(CopyAct::Read),
            Deed::Write(_) => Some(CopyAct::Write),
            Deed::Reduce => None,
        };
        if let Some(act) = act
            && self.take_copy(&CopyTouch {
                space,
                place: by.place,
                thread: by.thread,
                address,
                bytes: bytes as u64,
                act,
            })
        {
            return;
        }
        let lane = by.thread as usize % WARP;
        let mut at = 0;
        while at < bytes {
            let address = address + at as u64;
            // The widest access that is aligned and not too long.
            let aligned = 1 << address.trailing_zeros().min(4);
            let count: usize = aligned.min(1 << (bytes - at).ilog2());
            let mut words = [[0; WARP]; 4];
            let act = match deed {
                Deed::Begin => TouchAct::Begin,
                Deed::Read => TouchAct::Load,
                Deed::Write(bytes) => {
                    let end = bytes.len().min(at + count);
                    for (word, chunk) in words.iter_mut().zip(bytes[at.min(end)..end].chunks(4)) {
                        let mut padded = [0; 4];
                        padded[..chunk.len()].copy_from_slice(chunk);
                        word[lane] = u32::from_le_bytes(padded);
                    }
                    TouchAct::Store(&words)
                }
                Deed::Reduce => TouchAct::Atomic {
                    reads: true,
                    swaps: false,
                },
            };
            let touch = Touch {
                space,
                place: by.place,
                warp: by.warp(),
                mask: 1 << lane,
                addresses: &[address; WARP],
                bytes: count as u32,
                act,
                is_narrow: false,
                is_constant: false,
                // A structure is copied with its padding.
                wanted: if matches!(deed, Deed::Read) && space == Space::Global {
                    Wanted::NOTHING
                } else {
                    Wanted::ALL
                },
                is_copy: !matches!(deed, Deed::Begin),
            };
            self.touch(&touch, Strength::Weak);
            at += count;
        }
    }
}

/// What one lane's copy reads.
fn lane_source(copies: &LaneCopies, lane: usize) -> Source {
    Source {
        space: Space::Global,
        address: copies.source[lane],
        bytes: u64::from(copies.read[lane]),
        place: copies.by.place,
        thread: copies.by.thread + lane as u32,
    }
}

/// What a bulk copy reads.
fn for_sources(bulk: &Bulk, mut each: impl FnMut(Source)) {
    let mut source = |space: Space, address: u64, bytes: u64| {
        each(Source {
            space,
            address,
            bytes,
            place: bulk.by.place,
            thread: bulk.by.thread,
        });
    };
    let (shared, bytes) = (u64::from(bulk.shared), u64::from(bulk.bytes));
    match &bulk.what {
        What::Nothing | What::Bytes { .. } => {}
        What::Load { from } => source(Space::Global, *from, bytes),
        What::Move { from } => source(Space::Shared, u64::from(*from), bytes),
        What::Store { .. } => source(Space::Shared, shared, bytes),
        What::LoadTile { map, at } => for_rows(map, at, |row| {
            let bytes = row.inside as usize * map.element.bytes() as usize;
            if bytes > 0 {
                source(Space::Global, row.address, bytes as u64);
            }
        }),
        What::StoreTile { map, at, .. } => for_rows(map, at, |row| {
            let inside = row.inside as usize * map.element.bytes() as usize;
            for_pieces(
                map.swizzle,
                bulk.shared + row.offset,
                map.row_bytes(),
                |from, at| {
                    let bytes = inside.saturating_sub(at).min(16);
                    if bytes > 0 {
                        source(Space::Shared, u64::from(from), bytes as u64);
                    }
                },
            );
        }),
    }
}

/// What a copy does to a piece of memory.
#[derive(Clone, Copy)]
enum Deed<'b> {
    /// Will write.
    Begin,
    Read,
    Write(&'b [u8]),
    Reduce,
}

/// Goes through so many bytes in pieces.
fn chunks(bytes: u32, mut each: impl FnMut(u32, usize)) {
    for at in (0..bytes).step_by(MOST_ROW_BYTES) {
        each(at, (bytes - at).min(MOST_ROW_BYTES as u32) as usize);
    }
}

fn reduce(buffer: &Buffer, offset: usize, bytes: &[u8], reduction: Reduction) {
    let size = reduction.bytes as usize;
    for (index, element) in bytes.chunks_exact(size).enumerate() {
        let mut value = [0; 8];
        value[..size].copy_from_slice(element);
        let at = offset + index * size;
        let width = (size as u64, 8 * (at as u64 % 4));
        let value = u64::from_le_bytes(value);
        update_global(reduction.op, &buffer.words[at / 4..], width, value, 0);
    }
}
