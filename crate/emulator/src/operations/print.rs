//! `printf` and what a failed assertion says: reading text and arguments from device memory.

use std::cell::Cell;

use crate::check::Stored;
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::drive::one;
use crate::operations::format;
use crate::operations::format::Arguments;
use crate::program::kinds::{GROUP_WARPS, NO_SLOT, WARP, for_lanes};
use crate::program::space::{LOCAL_BYTES, WINDOW_BYTES, WINDOWS};
use crate::report::{Detail, FindingKind};

/// The longest format or string read.
const MOST_TEXT_BYTES: u64 = 1 << 14;

/// `d = vprintf(format s[0], arguments s[1])`
pub(crate) const PRINT: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = lanes.active;
    for warp in active.first..active.last {
        for_lanes(active.mask[warp], |lane| {
            let at = warp * WARP + lane;
            let format = lanes.longs.source(inst.s[0])[at];
            let arguments = lanes.longs.source(inst.s[1])[at];
            let mut text = Vec::new();
            let reader = Reader { lanes, world, lane: at };
            let taken = match reader.string(format) {
                Some(format) => {
                    let mut block = ArgumentBlock { reader, next: arguments, no_text: Cell::new(None), misfit: None };
                    let taken = format::print(&format, &mut block, &mut text);
                    let (no_text, misfit) = (block.no_text.get(), block.misfit);
                    if let Some(address) = no_text {
                        note(lanes, world, inst, at, (FindingKind::InvalidAddress, Some(address), Detail::Text));
                    } else if let Some(misfit) = misfit {
                        note(lanes, world, inst, at, (FindingKind::Printf, None, misfit));
                    }
                    taken
                }
                None => u32::MAX,
            };
            world.output.push(world.block, lanes.thread(at), &text);
            if inst.d[0] != NO_SLOT {
                lanes.words.registers[usize::from(inst.d[0])][at] = taken;
            }
        });
    }
});

/// What a lane passes to `printf` does not fit the format.
#[cold]
fn note(
    lanes: &Lanes,
    world: &mut World,
    inst: &Inst,
    lane: usize,
    (kind, address, detail): (FindingKind, Option<u64>, Detail),
) {
    world.fault(Fault {
        kind,
        block: world.block,
        place: inst.place,
        space: None,
        thread: lanes.thread(lane),
        address,
        access_bytes: 0,
        is_store: false,
        count: 1,
        detail,
    });
}

/// Notes what `__assertfail(expression s[0], file s[1], line s[2], function s[3])` says, for the first lane.
pub(crate) const NOTE_ASSERTION: Both<AccessFn> = one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let active = &lanes.active;
    let at = active.first * WARP + active.mask[active.first].trailing_zeros() as usize;
    let text = |slot: u16| {
        let reader = Reader { lanes, world, lane: at };
        let bytes = reader.string(lanes.longs.source(slot)[at]).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (expression, file, function) = (text(inst.s[0]), text(inst.s[1]), text(inst.s[3]));
    let line = lanes.words.source(inst.s[2])[at];
    world.detail = Detail::Assertion { expression, file, line, function };
});

/// One lane's view of all memory, which nothing counts.
struct Reader<'r, 'w> {
    lanes: &'r Lanes,
    world: &'r World<'w>,
    /// Lane in the group.
    lane: usize,
}

impl Reader<'_, '_> {
    /// The byte at a generic address.
    fn byte(&self, address: u64) -> Option<u8> {
        let window = address.wrapping_sub(WINDOWS) / WINDOW_BYTES;
        let offset = address.wrapping_sub(WINDOWS) % WINDOW_BYTES;
        let at = match window {
            // A thread prints what is its own.
            1 => (offset % LOCAL_BYTES / 4) as usize,
            _ => (offset / 4) as usize,
        };
        let word = match window {
            0 => *self.world.shared.get(at)?,
            1 => *self.lanes.local.get(at * GROUP_WARPS * WARP + self.lane)?,
            2 => *self.world.constants.get(at)?,
            3 => *self.world.params.get(at)?,
            _ => return self.global(address),
        };
        Some((word >> (8 * (address % 4))) as u8)
    }

    fn global(&self, address: u64) -> Option<u8> {
        let buffers = self.world.buffers;
        let after = buffers.partition_point(|buffer| buffer.base <= address);
        let buffer = buffers.get(after.checked_sub(1)?)?;
        let mut byte = [0];
        buffer.read(buffer.offset(address, 1)?, &mut byte);
        Some(byte[0])
    }

    fn string(&self, address: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for at in 0..MOST_TEXT_BYTES {
            match self.byte(address.wrapping_add(at))? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Some(text)
    }
}

/// The arguments of one `printf`, as nvcc lays them out in local memory.
struct ArgumentBlock<'r, 'w> {
    reader: Reader<'r, 'w>,
    next: u64,
    /// The first address of a text that is none.
    no_text: Cell<Option<u64>>,
    /// The first conversion that does not fit its argument: those behind it may be read from the wrong places.
    misfit: Option<Detail>,
}

impl ArgumentBlock<'_, '_> {
    /// What is wrong with an argument for a conversion of so many bytes, by what the thread has stored for it.
    fn misfit(&self, address: u64, bytes: u64, conversion: u8) -> Option<Detail> {
        let (shadow, lanes) = (self.reader.world.check.as_ref()?, self.reader.lanes);
        let offset = address.wrapping_sub(WINDOWS);
        if offset / WINDOW_BYTES != 1 {
            return None;
        }
        let offset = (offset % WINDOW_BYTES % LOCAL_BYTES) as usize;
        let stored_at =
            |offset| shadow.stored(lanes.first_warp / GROUP_WARPS, self.reader.lane, offset);
        // Before what has 8 bytes, 4 may be left out.
        let stored = match stored_at(offset) {
            Stored::Nothing if bytes == 4 && offset % 8 == 4 => stored_at(offset + 4),
            stored => stored,
        };
        let is_float = b"fFeEgGaA".contains(&conversion);
        let passed = match stored {
            Stored::Nothing => "no argument",
            Stored::Word if bytes == 8 => "an integer of 32 bits",
            Stored::Double if !is_float => "a double (as which a float is passed)",
            Stored::Long if bytes == 4 => {
                "64 bits: a double (as which a float is passed), a pointer or a long integer"
            }
            _ => return None,
        };
        let letter = char::from(conversion);
        let (length, takes) = match (conversion, bytes) {
            (b's', _) => ("", "the address of a text"),
            (b'p', _) => ("", "an address"),
            (b'c', _) => ("", "a character, passed as an integer of 32 bits"),
            _ if is_float => ("", "a double"),
            (_, 8) => ("ll", "an integer of 64 bits"),
            _ => ("", "an integer of 32 bits"),
        };
        let conversion = format!("%{length}{letter}");
        Some(Detail::Printed {
            conversion,
            takes,
            passed,
        })
    }
}

impl Arguments for ArgumentBlock<'_, '_> {
    fn next(&mut self, bytes: u64, conversion: u8) -> u64 {
        let start = self.next.checked_next_multiple_of(bytes).unwrap_or(0);
        if self.misfit.is_none() {
            self.misfit = self.misfit(start, bytes, conversion);
        }
        self.next = start.wrapping_add(bytes);
        (0..bytes).fold(0, |value, at| {
            let byte = self.reader.byte(start.wrapping_add(at)).unwrap_or(0);
            value | u64::from(byte) << (8 * at)
        })
    }

    fn text(&self, address: u64) -> Option<Vec<u8>> {
        let text = self.reader.string(address);
        // `(null)` is what a null pointer prints.
        if text.is_none() && address != 0 && self.no_text.get().is_none() {
            self.no_text.set(Some(address));
        }
        text
    }
}
