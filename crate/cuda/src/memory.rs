//! Allocations of a program by address: device, managed, pinned and registered memory, and what a pointer is. Copies are `copy`'s, arrays `array`'s.

mod space;

use std::collections::BTreeMap;
use std::sync::Arc;

use cornerturn_emulator::MemoryError;

use crate::driver::Driver;
use crate::host::{self, Mapping};
use crate::place::{self, Place};
use crate::status::{Error, Result, Status};
pub(crate) use space::{AddressSpace, is_device};

/// Of a GPU's memory: what lies between an allocation and the next multiple of this is nobody's, and kernels that reach
/// it do not fault. `cuMemAlloc` gives addresses that are multiples of it.
const GPU_GRANULE_BYTES: usize = 512;

/// What an allocation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Device memory: the host has no access to it.
    Device,
    /// Managed memory: one address for kernels and the host.
    Managed,
    /// Pinned memory of the host, which kernels reach by the same address.
    Pinned,
    /// Memory of the program that was registered: kernels reach it by an address of its own.
    Registered,
    /// The texels of an array.
    Array,
    /// A variable of a module.
    Variable,
}

impl Kind {
    /// Whether the host may use its addresses.
    pub fn is_of_host(self) -> bool {
        matches!(self, Self::Managed | Self::Pinned)
    }
}

/// One allocation.
#[derive(Debug, Clone)]
pub struct Allocation {
    /// The address by which kernels know it.
    pub base: u64,
    /// Its size.
    pub bytes: usize,
    /// What it is.
    pub kind: Kind,
    /// The device that it is of.
    pub device: u32,
    /// The context in which it was made.
    pub context: u64,
    /// Where its bytes lie in this process; 0 for constants, which their module keeps.
    pub host: usize,
    /// The module of a variable, else 0.
    pub module: u64,
    /// What findings call it.
    pub name: String,
    /// Where it was allocated.
    pub place: Option<Place>,
    /// The flags that it was asked for with.
    pub flags: u32,
    /// A number that no other allocation has.
    pub number: u64,
    /// What keeps the pages: they go with the last copy of this.
    pub(crate) _mapping: Option<Arc<Mapping>>,
}

/// Allocations by first address.
pub(crate) type Allocations = BTreeMap<u64, Allocation>;

/// The allocation that holds so many bytes from an address, and the offset there.
pub(crate) fn holding(
    all: &Allocations,
    address: u64,
    bytes: usize,
) -> Option<(&Allocation, usize)> {
    let (_, allocation) = all.range(..=address).next_back()?;
    let offset = usize::try_from(address - allocation.base).ok()?;
    let fits = offset.checked_add(bytes)? <= allocation.bytes;
    // A pointer to nothing is one to the allocation too.
    (fits && (offset < allocation.bytes || bytes == 0)).then_some((allocation, offset))
}

impl Driver {
    /// Allocates memory. `name` is what findings call it; without one it is numbered.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`]; [`Status::INVALID_VALUE`] for no bytes, or for a kind that is not asked for so.
    pub fn allocate(&self, bytes: usize, kind: Kind, name: Option<&str>) -> Result<u64> {
        if bytes == 0 || matches!(kind, Kind::Registered | Kind::Variable) {
            return Err(Status::INVALID_VALUE.into());
        }
        let context = self.context()?;
        self.check_room(bytes)?;
        let mut all = self.allocations_mut();
        let base = self
            .space()
            .place(&all, bytes, kind.is_of_host())
            .ok_or(Status::OUT_OF_MEMORY)?;
        let mapping = match kind.is_of_host() {
            true => Mapping::at(base, bytes),
            false => Mapping::new(bytes),
        };
        let mapping = mapping.map_err(|error| lacking(bytes, &error))?;
        let number = self.next_number();
        let name = name.map_or_else(|| format!("{} {number}", what(kind)), str::to_string);
        // SAFETY: `free` takes the buffer away before it drops the mapping.
        let words = unsafe { mapping.words() };
        let is_written = kind.is_of_host() || kind == Kind::Array || !self.settings().check;
        // Unless somebody wants to know, kernels may do what a GPU lets them do.
        let reached = match self.settings().check {
            true => bytes,
            false => bytes
                .next_multiple_of(GPU_GRANULE_BYTES)
                .min(4 * words.len()),
        };
        let adopted = self
            .memory_mut()
            .adopt((&name, is_written), base, reached, words);
        adopted.map_err(memory_error)?;
        let allocation = Allocation {
            base,
            bytes,
            kind,
            device: context.device,
            context: context.handle,
            host: mapping.address(),
            module: 0,
            name,
            place: place::here(),
            flags: 0,
            number,
            _mapping: Some(Arc::new(mapping)),
        };
        self.took(bytes);
        all.insert(base, allocation);
        Ok(base)
    }

    /// Frees an allocation by its first address. What is freed twice is noted as a finding.
    ///
    /// # Errors
    /// [`Status::INVALID_VALUE`] if none of these kinds begins there.
    pub fn free(&self, base: u64, kinds: &[Kind]) -> Result<()> {
        let mut all = self.allocations_mut();
        match all.get(&base) {
            Some(allocation) if kinds.contains(&allocation.kind) => {}
            other => {
                let why = match (other, holding(&all, base, 0)) {
                    (Some(found), _) => format!("it is {} `{}`", what(found.kind), found.name),
                    (None, Some((found, offset))) => {
                        format!("it points {offset} bytes into `{}`", found.name)
                    }
                    (None, None) => {
                        "no allocation begins there, or it was freed before".to_string()
                    }
                };
                let message = format!("{base:#x} cannot be freed: {why}");
                return Err(self.misuse("invalid_free", Status::INVALID_VALUE, message));
            }
        }
        let allocation = all.remove(&base);
        drop(all);
        self.release(base, allocation);
        Ok(())
    }

    /// Lets the emulator forget a buffer, then gives its pages back.
    pub(crate) fn release(&self, base: u64, allocation: Option<Allocation>) {
        // It has it: what `allocate` adds is only taken away here.
        let _ = self.memory_mut().free(base);
        self.order().forget_buffer(base);
        if let Some(allocation) = allocation {
            self.gave_back(allocation.bytes);
        }
    }

    /// Makes memory of the program known to kernels, and gives the address by which they reach it.
    ///
    /// # Errors
    /// [`Status::HOST_MEMORY_ALREADY_REGISTERED`], [`Status::INVALID_VALUE`].
    ///
    /// # Safety
    /// The memory must stay readable and writable until it is unregistered.
    pub unsafe fn register(&self, host: usize, bytes: usize, flags: u32) -> Result<u64> {
        if bytes == 0 || host == 0 {
            return Err(Status::INVALID_VALUE.into());
        }
        let context = self.context()?;
        let mut all = self.allocations_mut();
        let overlaps = |other: &&Allocation| {
            let is_host = other.kind == Kind::Registered || other.kind.is_of_host();
            is_host && host < other.host + other.bytes && other.host < host + bytes
        };
        if all.values().find(overlaps).is_some() {
            return Err(Status::HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        // The words begin at a multiple of 4; so does the buffer, which the first bytes may not be part of.
        let first = host & !3;
        let span = host + bytes - first;
        let start = self
            .space()
            .place(&all, span, false)
            .ok_or(Status::OUT_OF_MEMORY)?;
        // SAFETY: the caller's promise; up to 3 bytes before the first lie in the same page.
        let words = unsafe { host::words_at(first, (span + 3) & !3) };
        let number = self.next_number();
        let name = format!("registered memory {number}");
        let adopted = self.memory_mut().adopt((&name, true), start, span, words);
        adopted.map_err(memory_error)?;
        let base = start + (host - first) as u64;
        let allocation = Allocation {
            base: start,
            bytes: span,
            kind: Kind::Registered,
            device: context.device,
            context: context.handle,
            host: first,
            module: 0,
            name,
            place: place::here(),
            flags,
            number,
            _mapping: None,
        };
        all.insert(start, allocation);
        Ok(base)
    }

    /// Undoes [`Driver::register`].
    ///
    /// # Errors
    /// [`Status::HOST_MEMORY_NOT_REGISTERED`].
    pub fn unregister(&self, host: usize) -> Result<()> {
        let mut all = self.allocations_mut();
        let is_it = |one: &&Allocation| one.kind == Kind::Registered && one.host == host & !3;
        let found = all.values().find(is_it).map(|found| found.base);
        let base = found.ok_or(Status::HOST_MEMORY_NOT_REGISTERED)?;
        all.remove(&base);
        drop(all);
        // Its bytes are the program's, not ours.
        self.release(base, None);
        Ok(())
    }

    /// What a pointer points to: an allocation by a device's address, or by the host's where it has one, and the offset.
    pub fn allocation(&self, address: u64) -> Option<(Allocation, usize)> {
        let all = self.allocations();
        if let Some((found, offset)) = holding(&all, address, 1) {
            return Some((found.clone(), offset));
        }
        let registered = all.values().find(|one| {
            let inside = (address as usize).wrapping_sub(one.host) < one.bytes;
            one.kind == Kind::Registered && inside
        })?;
        Some((registered.clone(), address as usize - registered.host))
    }

    /// Gives an allocation another name for findings.
    pub fn flags(&self, base: u64, flags: u32) {
        if let Some(allocation) = self.allocations_mut().get_mut(&base) {
            allocation.flags = flags;
        }
    }

    /// All allocations of these kinds that are not freed.
    pub fn allocated(&self, kinds: &[Kind]) -> Vec<Allocation> {
        let all = self.allocations();
        let these = all.values().filter(|one| kinds.contains(&one.kind));
        these.cloned().collect()
    }
}

/// A kind in words.
pub(crate) fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Device => "device memory",
        Kind::Managed => "managed memory",
        Kind::Pinned => "pinned memory",
        Kind::Registered => "registered memory",
        Kind::Array => "array",
        Kind::Variable => "variable",
    }
}

fn lacking(bytes: usize, error: &std::io::Error) -> Error {
    let message = format!("{bytes} bytes cannot be had on this machine: {error}");
    Error::new(Status::OUT_OF_MEMORY, message)
}

/// What the emulator refuses, in the driver's codes.
pub(crate) fn memory_error(error: MemoryError) -> Error {
    let status = match error {
        MemoryError::TooLarge { .. } | MemoryError::Taken { .. } => Status::OUT_OF_MEMORY,
        _ => Status::INVALID_VALUE,
    };
    Error::new(status, error.to_string())
}
