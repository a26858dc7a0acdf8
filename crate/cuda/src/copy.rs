//! Copies and fills of memory: in one, two and three dimensions, between the host, devices and arrays. Which memory a pointer means is looked up; what it may not mean is refused.

use std::sync::Arc;

use cornerturn_emulator::{Bytes, TouchedBuffer};

use crate::array::Array;
use crate::clock::copy_ns;
use crate::driver::Driver;
use crate::host;
use crate::memory::{Allocation, Kind, holding, is_device};
use crate::module::bank_of;
use crate::record::Trod;
use crate::status::{Error, Result, Status};

/// Where one side of a copy lies.
#[derive(Debug, Clone)]
pub enum Spot {
    /// At an address, which says itself whose it is.
    Any(u64),
    /// At an address of the host.
    Host(u64),
    /// At an address of a device.
    Device(u64),
    /// In an array.
    Array(Arc<Array>),
}

/// One side of a copy.
#[derive(Debug, Clone)]
pub struct Side {
    /// Where it lies.
    pub spot: Spot,
    /// Bytes from one row to the next; an array's own are known.
    pub pitch_bytes: usize,
    /// Rows from one slice to the next.
    pub slice_rows: usize,
    /// Where it begins: bytes in a row, rows, slices.
    pub offset: [usize; 3],
}

impl Side {
    /// Bytes one after the other.
    pub fn line(spot: Spot) -> Self {
        Self {
            spot,
            pitch_bytes: 0,
            slice_rows: 0,
            offset: [0; 3],
        }
    }

    /// Rows that begin so many bytes apart.
    pub fn rows(spot: Spot, pitch_bytes: usize) -> Self {
        Self {
            pitch_bytes,
            ..Self::line(spot)
        }
    }
}

/// A copy of a box of bytes.
#[derive(Debug, Clone)]
pub struct Copy {
    from: Side,
    to: Side,
    extent: [usize; 3],
}

/// Memory that is filled with a pattern, row by row.
#[derive(Debug, Clone)]
pub struct Fill {
    /// The first byte, in a device's memory.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch_bytes: usize,
    /// One, two or four bytes.
    pub pattern: Vec<u8>,
    /// Bytes of a row: a multiple of the pattern's.
    pub width_bytes: usize,
    /// Rows.
    pub rows: usize,
}

impl Fill {
    /// All bytes.
    pub fn bytes(&self) -> usize {
        self.width_bytes.saturating_mul(self.rows)
    }
}

impl Copy {
    /// A copy of a box: bytes of a row, rows, slices.
    ///
    /// # Safety
    /// What is neither a device's memory nor an array must be readable, or writable, over the whole box when the copy is
    /// carried out.
    pub unsafe fn new(to: Side, from: Side, extent: [usize; 3]) -> Self {
        Self { from, to, extent }
    }

    /// The sides, target first, and the extent.
    pub fn parts(&self) -> (&Side, &Side, [usize; 3]) {
        (&self.to, &self.from, self.extent)
    }

    /// All bytes.
    pub fn bytes(&self) -> usize {
        let [width, rows, slices] = self.extent;
        width.saturating_mul(rows).saturating_mul(slices)
    }
}

/// A side of a copy as it lies in this process.
struct Found {
    /// The first byte of the box: an address of this process, or the offset in a bank of constants.
    start: usize,
    pitch: usize,
    slice: usize,
    /// The module whose constants they are, else 0.
    constants: u64,
    /// The allocation, if it is one, and the offset there.
    allocation: Option<(Allocation, usize)>,
}

impl Driver {
    fn find(&self, side: &Side, extent: [usize; 3]) -> Result<Found> {
        let [width, rows, slices] = extent;
        let (address, pitch, slice_rows) = match &side.spot {
            Spot::Array(array) => (array.address, array.row_bytes(), array.rows()),
            Spot::Any(address) | Spot::Host(address) | Spot::Device(address) => {
                (*address, side.pitch_bytes, side.slice_rows)
            }
        };
        let pitch = if pitch == 0 { width } else { pitch };
        let slice_rows = if slice_rows == 0 { rows } else { slice_rows };
        let sizes = || {
            let slice = pitch.checked_mul(slice_rows)?;
            let skipped = side.offset[0]
                .checked_add(side.offset[1].checked_mul(pitch)?)?
                .checked_add(side.offset[2].checked_mul(slice)?)?;
            let span = slice
                .checked_mul(slices.checked_sub(1)?)?
                .checked_add(pitch.checked_mul(rows.checked_sub(1)?)?)?
                .checked_add(width)?;
            let first = address.checked_add(skipped as u64)?;
            Some((slice, span, first))
        };
        let fits = match &side.spot {
            Spot::Array(array) => array.holds(side.offset, extent),
            _ => width <= pitch || rows <= 1 && slices <= 1,
        };
        let (slice, span, first) = sizes().filter(|_| fits).ok_or_else(|| {
            let message = format!(
                "a copy of {extent:?} bytes, rows and slices does not fit its source or target"
            );
            Error::new(Status::INVALID_VALUE, message)
        })?;
        let allocation = self.range(&side.spot, first, span)?;
        let found = |start, constants, allocation| Found {
            start,
            pitch,
            slice,
            constants,
            allocation,
        };
        Ok(match allocation {
            None => found(first as usize, 0, None),
            Some((found_in, offset)) if found_in.host == 0 => {
                let bank = bank_of(found_in.base).unwrap_or(found_in.base);
                let module = found_in.module;
                found((first - bank) as usize, module, Some((found_in, offset)))
            }
            Some((found_in, offset)) => found(found_in.host + offset, 0, Some((found_in, offset))),
        })
    }

    /// The allocation that a side lies in, none if it is other memory of the host.
    fn range(&self, spot: &Spot, first: u64, span: usize) -> Result<Option<(Allocation, usize)>> {
        let all = self.allocations();
        if let Some((found, offset)) = holding(&all, first, span) {
            let is_of_host = matches!(found.kind, Kind::Managed | Kind::Pinned);
            if matches!(spot, Spot::Host(_)) && !is_of_host {
                let message = format!(
                    "{first:#x} is given as a pointer of the host, and it is one to {} `{}`: is the direction of the copy right?",
                    crate::memory::what(found.kind),
                    found.name
                );
                return Err(self.misuse("invalid_pointer", Status::INVALID_VALUE, message));
            }
            return Ok(Some((found.clone(), offset)));
        }
        let near = holding(&all, first, 0).map(|(found, offset)| {
            format!(
                "{span} bytes from byte {offset} of `{}`, which has {}",
                found.name, found.bytes
            )
        });
        drop(all);
        if near.is_none() && !is_device(first) && !matches!(spot, Spot::Device(_)) {
            return match first {
                0 => Err(Error::new(
                    Status::INVALID_VALUE,
                    "a copy from or to a null pointer",
                )),
                _ => Ok(None),
            };
        }
        let message = match near {
            Some(near) => format!("a copy reaches beyond its buffer: {near}"),
            None if is_device(first) => {
                format!("{first:#x} is no address of memory that is allocated: was it freed?")
            }
            None => format!(
                "{first:#x} is given as a device pointer, and it is none: is it one of the host, and the direction of the copy right?"
            ),
        };
        Err(self.misuse("invalid_pointer", Status::INVALID_VALUE, message))
    }

    pub(crate) fn perform_copy(&self, copy: &Copy, wants_touched: bool) -> Result<Trod> {
        if copy.bytes() == 0 {
            return Ok(Trod::default());
        }
        let [width, rows, slices] = copy.extent;
        let (from, to) = (
            self.find(&copy.from, copy.extent)?,
            self.find(&copy.to, copy.extent)?,
        );
        let is_whole = |side: &Found| {
            (rows == 1 || side.pitch == width) && (slices == 1 || side.slice == width * rows)
        };
        if is_whole(&from) && is_whole(&to) {
            self.move_bytes(&to, &from, (0, 0), copy.bytes())?;
        } else {
            for (z, y) in (0..slices).flat_map(|z| (0..rows).map(move |y| (z, y))) {
                let at = |side: &Found| z * side.slice + y * side.pitch;
                self.move_bytes(&to, &from, (at(&to), at(&from)), width)?;
            }
        }
        self.note_written(&to, copy.extent);
        let is_device = |side: &Found| {
            let allocation = side.allocation.as_ref();
            allocation.is_some_and(|(one, _)| !matches!(one.kind, Kind::Pinned | Kind::Registered))
        };
        let ns = copy_ns(copy.bytes() as u64, !(is_device(&from) && is_device(&to)));
        let mut trod = Trod {
            ns,
            ..Trod::default()
        };
        if wants_touched {
            trod.touched.extend(touched(&from, copy.extent, false));
            trod.touched.extend(touched(&to, copy.extent, true));
        }
        Ok(trod)
    }

    /// Copies bytes from one side to the other, at offsets behind their first.
    fn move_bytes(
        &self,
        to: &Found,
        from: &Found,
        (to_at, from_at): (usize, usize),
        bytes: usize,
    ) -> Result<()> {
        if (to.constants, from.constants) == (0, 0) {
            // SAFETY: `find` found the box in memory that this process has mapped, or the caller of `Copy::new` promised it.
            unsafe { host::copy(to.start + to_at, from.start + from_at, bytes) };
            return Ok(());
        }
        let lost = |_| Error::from(Status::INVALID_VALUE);
        let mut held = vec![0; bytes];
        match self.modules.get(from.constants) {
            Some(module) => {
                let module = module.module();
                let at = (from.start + from_at) as u64;
                module.read_constants(at, &mut held).map_err(lost)?;
            }
            // SAFETY: as above.
            None => unsafe { host::read(from.start + from_at, &mut held) },
        }
        match self.modules.get(to.constants) {
            Some(module) => {
                let at = (to.start + to_at) as u64;
                module
                    .module_mut()
                    .write_constants(at, &held)
                    .map_err(lost)?;
            }
            // SAFETY: as above.
            None => unsafe { host::copy(to.start + to_at, held.as_ptr() as usize, bytes) },
        }
        Ok(())
    }

    /// What checks have to know of a target.
    fn note_written(&self, to: &Found, [width, rows, slices]: [usize; 3]) {
        let Some((allocation, offset)) = &to.allocation else {
            return;
        };
        if allocation.kind == Kind::Array {
            self.array_written(allocation.base);
        }
        if !self.settings().check || allocation.kind != Kind::Device {
            return;
        }
        let memory = self.memory();
        let first = allocation.base + *offset as u64;
        for (z, y) in (0..slices).flat_map(|z| (0..rows).map(move |y| (z, y))) {
            let at = first + (z * to.slice + y * to.pitch) as u64;
            // It lies in the allocation.
            let _ = memory.note_written(at, width);
        }
    }

    pub(crate) fn perform_fill(&self, fill: &Fill, wants_touched: bool) -> Result<Trod> {
        let extent = [fill.width_bytes, fill.rows, 1];
        if fill.bytes() == 0 {
            return Ok(Trod::default());
        }
        let side = Side::rows(Spot::Device(fill.address), fill.pitch_bytes);
        let to = self.find(&side, extent)?;
        if to.constants != 0 {
            return Err(Error::new(
                Status::NOT_SUPPORTED,
                "constants cannot be filled, only copied to",
            ));
        }
        let (width, rows) = match to.pitch == fill.width_bytes {
            true => (fill.bytes(), 1),
            false => (fill.width_bytes, fill.rows),
        };
        for row in 0..rows {
            // SAFETY: `find` found the rows in memory that this process has mapped.
            unsafe { host::fill(to.start + row * to.pitch, width, &fill.pattern) };
        }
        self.note_written(&to, extent);
        let mut trod = Trod {
            ns: copy_ns(fill.bytes() as u64 / 2, false),
            ..Trod::default()
        };
        if wants_touched {
            trod.touched.extend(touched(&to, extent, true));
        }
        Ok(trod)
    }
}

/// The bytes of an allocation that one side of a copy touches; a box is taken for all bytes from its first to its last.
fn touched(side: &Found, [width, rows, slices]: [usize; 3], writes: bool) -> Option<TouchedBuffer> {
    let (allocation, offset) = side.allocation.as_ref()?;
    let span = (slices - 1) * side.slice + (rows - 1) * side.pitch + width;
    let bytes = Bytes::range(*offset as u64..(offset + span) as u64);
    let (read, written) = match writes {
        true => (Bytes::default(), bytes),
        false => (bytes, Bytes::default()),
    };
    Some(TouchedBuffer {
        name: allocation.name.clone(),
        base: allocation.base,
        read,
        written,
    })
}
