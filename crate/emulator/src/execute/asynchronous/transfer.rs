//! Moving the bytes of asynchronous copies, now that they have been waited for.

use std::sync::atomic::Ordering::Relaxed;

use super::{Bulk, LaneCopies, Reduction, What};
use crate::execute::atomic::update_global;
use crate::execute::memory::for_lanes;
use crate::execute::tile::{self, for_pieces, for_rows};
use crate::execute::world::World;
use crate::memory::Buffer;
use crate::tensor_map::{MOST_RANK, TensorMap};

/// The longest row of a tile: 256 elements of 8 bytes.
const MOST_ROW_BYTES: usize = 2048;

impl World<'_> {
    pub(super) fn copy_lanes(&mut self, lanes: u32, copies: &LaneCopies) {
        for_lanes(lanes, |lane| {
            let mut bytes = [0; 16];
            let read = usize::from(copies.read[lane]);
            self.read_global(copies.site, copies.source[lane], &mut bytes[..read]);
            self.write_shared(copies.target[lane], &bytes[..usize::from(copies.bytes)]);
        });
    }

    pub(super) fn perform(&mut self, bulk: &Bulk) {
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
