//! Buffers on a device: sized, named, typed at the surface, bytes inside. Where the bytes live is the backend's business.

use crate::device::{self, Device, HostAccess};
use cornerturn_base::element::{Element, ElementType};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::pattern::POISON_BYTE;
use cornerturn_base::place::Place;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

struct Allocation {
    device: Device,
    name: String,
    element: ElementType,
    place: Place,
    address: u64,
    bytes: usize,
    /// The life of the device's context in which it was allocated.
    life: u64,
    /// Whether an asynchronous copy of it is under way.
    in_flight: AtomicBool,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.device.order().forget_buffer(self.address);
        self.device.free(self.place, self.address, self.life);
    }
}

/// A buffer whose element type is known at run time only. A cheap handle; the memory goes with the last one.
#[derive(Clone)]
pub struct RawBuffer(Arc<Allocation>);

impl RawBuffer {
    /// Memory for so many elements on a device. What is in it is not defined.
    pub fn allocate(
        device: &Device,
        name: &str,
        element: ElementType,
        length: usize,
    ) -> Result<Self> {
        Self::allocate_in(device, Place::Device, name, element, length)
    }

    /// The same in a place: on the device, or managed.
    pub fn allocate_in(
        device: &Device,
        place: Place,
        name: &str,
        element: ElementType,
        length: usize,
    ) -> Result<Self> {
        let bytes = length
            .checked_mul(element.bytes())
            .filter(|&bytes| bytes <= isize::MAX as usize)
            .ok_or_else(|| Error::Buffer {
                name: name.to_string(),
                reason: format!("{length} elements of {element} do not fit in memory's addresses"),
            })?;
        let (address, life) = device.allocate(place, name, bytes)?;
        Ok(Self(Arc::new(Allocation {
            device: device.clone(),
            name: name.to_string(),
            element,
            place,
            address,
            bytes,
            life,
            in_flight: AtomicBool::new(false),
        })))
    }

    /// The name given at its creation, which findings use.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The element type.
    pub fn element(&self) -> ElementType {
        self.0.element
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Size in elements.
    pub fn len(&self) -> usize {
        self.0.bytes / self.0.element.bytes()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.0.bytes == 0
    }

    /// The device that it lives on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Where its bytes lie.
    pub fn place(&self) -> Place {
        self.0.place
    }

    /// The address that a kernel sees.
    pub fn address(&self) -> u64 {
        self.0.address
    }

    /// Whether it was lost, because a kernel's fault took the device's memory with it.
    pub fn is_lost(&self) -> bool {
        self.0.life != self.0.device.life()
    }

    /// Fills `out` with its bytes from `offset` on.
    #[track_caller]
    pub fn read_at(&self, offset: usize, out: &mut [u8]) -> Result<()> {
        self.check_range(offset, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        self.take_turn(
            "the host's read",
            self.host_way(false),
            (offset, out.len()),
            false,
        )?;
        let Allocation { place, life, .. } = *self.0;
        let address = self.0.address + offset as u64;
        self.0.device.read_in(place, address, life, out)
    }

    /// All its bytes by a copy of the driver, so that managed pages stay where they are.
    #[track_caller]
    pub(crate) fn copy_out(&self, out: &mut [u8]) -> Result<()> {
        self.check_range(0, out.len())?;
        let all = (0, out.len());
        self.take_turn("the host's read", HostAccess::Waited, all, false)?;
        self.0.device.read(self.0.address, out)
    }

    /// Overwrites its bytes from `offset` on.
    #[track_caller]
    pub fn write_at(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.check_range(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.take_turn(
            "the host's write",
            self.host_way(true),
            (offset, bytes.len()),
            true,
        )?;
        let Allocation { place, life, .. } = *self.0;
        let address = self.0.address + offset as u64;
        self.0.device.write_in(place, address, life, bytes)
    }

    /// The first write to a buffer that nobody else knows: it is there when this returns.
    fn begin_with(&self, bytes: &[u8]) -> Result<()> {
        let Allocation { place, life, .. } = *self.0;
        let device = &self.0.device;
        device.write_in(place, self.0.address, life, bytes)?;
        device.settle_writes()
    }

    /// How the host reads or writes it.
    fn host_way(&self, is_store: bool) -> HostAccess {
        match self.0.place {
            Place::Device if is_store => HostAccess::Staged,
            Place::Device => HostAccess::Waited,
            Place::Mapped | Place::Managed => HostAccess::Direct,
        }
    }

    /// Puts an access of the host, to so many bytes from an offset on, into the order of the program's streams.
    #[track_caller]
    pub(crate) fn take_turn(
        &self,
        what: &str,
        how: HostAccess,
        (offset, bytes): (usize, usize),
        is_store: bool,
    ) -> Result<()> {
        self.0.device.take_turn(what, how, || {
            let range = offset as u64..(offset + bytes) as u64;
            device::touched(&self.0.name, self.0.address, range, is_store)
        })
    }

    /// Says that an asynchronous copy of it begins, and nobody else may use it.
    ///
    /// # Errors
    /// [`Error::Buffer`] where one is under way.
    pub(crate) fn begin_flight(&self) -> Result<()> {
        self.check_alive()?;
        match self.0.in_flight.swap(true, Ordering::AcqRel) {
            true => Err(self.in_flight()),
            false => Ok(()),
        }
    }

    pub(crate) fn end_flight(&self) {
        self.0.in_flight.store(false, Ordering::Release);
    }

    fn in_flight(&self) -> Error {
        self.error(
            "an asynchronous copy of it is under way, and until it is done nobody may use it; call `wait()` on what              `start_write` or `start_read` gave"
                .to_string(),
        )
    }

    /// Fills it with [`POISON_BYTE`], so that elements that a kernel does not write are told apart, and a checked
    /// launch on the emulator finds a kernel that reads them.
    #[track_caller]
    pub fn poison(&self) -> Result<()> {
        if !self.has_turn_to_fill()? {
            return Ok(());
        }
        self.begin_with_poison()
    }

    /// How many elements nobody has written since the buffer was poisoned, and the first of them: after a checked launch
    /// on the emulator; elsewhere `None`.
    ///
    /// # Errors
    /// [`Error::Buffer`] where a fault took its memory.
    pub fn unwritten(&self) -> Result<Option<(usize, usize)>> {
        self.check_range(0, 0)?;
        if self.is_empty() {
            return Ok(None);
        }
        let element_bytes = self.element().bytes();
        self.0
            .device
            .unwritten(self.0.address, self.0.bytes, element_bytes)
    }

    /// Takes the host's turn to fill it; one without elements has none.
    #[track_caller]
    fn has_turn_to_fill(&self) -> Result<bool> {
        self.check_range(0, 0)?;
        if !self.is_empty() {
            let all = (0, self.0.bytes);
            self.take_turn("the host's fill", HostAccess::Waited, all, true)?;
        }
        Ok(!self.is_empty())
    }

    /// Poisons a buffer that nobody else knows.
    fn begin_with_poison(&self) -> Result<()> {
        self.0
            .device
            .poison(self.0.address, self.0.bytes, POISON_BYTE)
    }

    /// Fills it with one byte.
    #[track_caller]
    pub fn fill_byte(&self, byte: u8) -> Result<()> {
        if !self.has_turn_to_fill()? {
            return Ok(());
        }
        self.0.device.fill(self.0.address, self.0.bytes, byte)
    }

    /// Refuses what a fault took, and what a copy is at work on.
    pub fn check_alive(&self) -> Result<()> {
        if !self.is_lost() {
            return match self.0.in_flight.load(Ordering::Acquire) {
                true => Err(self.in_flight()),
                false => Ok(()),
            };
        }
        Err(self.error(
            "was lost when a kernel's fault took the GPU's memory with it; create it again with \
             device.upload or device.poisoned"
                .to_string(),
        ))
    }

    pub(crate) fn check_range(&self, offset: usize, length: usize) -> Result<()> {
        self.check_alive()?;
        match offset.checked_add(length) {
            Some(end) if end <= self.0.bytes => Ok(()),
            _ => Err(self.error(format!(
                "bytes {offset}..{} are past its end: it has {}",
                offset.saturating_add(length),
                self.0.bytes
            ))),
        }
    }

    pub(crate) fn error(&self, reason: String) -> Error {
        Error::Buffer {
            name: self.0.name.clone(),
            reason,
        }
    }
}

impl fmt::Debug for RawBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "buffer `{}`: {} × {}",
            self.name(),
            self.len(),
            self.element()
        )
    }
}

impl Device {
    /// A buffer that holds a copy of `elements`. Findings call it `name`.
    ///
    /// # Errors
    /// [`Error::Buffer`] for an empty slice; [`Error::Memory`] where the device has not enough memory.
    pub fn upload<T: Element>(&self, name: &str, elements: &[T]) -> Result<Buffer<T>> {
        let buffer = Buffer::allocate(self, name, elements.len())?;
        buffer.raw.begin_with(bytemuck::cast_slice(elements))?;
        Ok(buffer)
    }

    /// The same by the name under which it is looked for first.
    ///
    /// ```
    /// # use cornerturn::prelude::*;
    /// let device = Device::emulator();
    /// let x = device.buffer("x", &[3.0_f32, 1.0, 4.0])?;
    /// assert_eq!(x.read()?, [3.0, 1.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn buffer<T: Element>(&self, name: &str, elements: &[T]) -> Result<Buffer<T>> {
        self.upload(name, elements)
    }

    /// A buffer of `length` elements filled with poison, for output.
    ///
    /// # Errors
    /// [`Error::Buffer`] for no elements; [`Error::Memory`] where the device has not enough memory.
    pub fn poisoned<T: Element>(&self, name: &str, length: usize) -> Result<Buffer<T>> {
        let buffer = Buffer::allocate(self, name, length)?;
        buffer.raw.begin_with_poison()?;
        Ok(buffer)
    }

    /// A poisoned buffer whose element type is known at run time only.
    ///
    /// # Errors
    /// As [`Device::poisoned`].
    pub fn raw_buffer(&self, name: &str, element: ElementType, length: usize) -> Result<RawBuffer> {
        let buffer = RawBuffer::allocate(self, name, element, length)?;
        if !buffer.is_empty() {
            buffer.begin_with_poison()?;
        }
        Ok(buffer)
    }
}

/// A buffer of `T` on a device. A cheap handle; the memory goes with the last one.
/// Lengths count elements, `bytes` bytes.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let x = device.buffer("x", &[1_u32, 2, 3])?;
/// assert_eq!((x.len(), x.bytes()), (3, 12));
/// x.write(&[4, 5, 6])?;
/// assert_eq!(x.read()?, [4, 5, 6]);
/// // As many elements as it has, or an error that names it.
/// let error = x.write(&[7]).unwrap_err();
/// assert!(error.to_string().contains("`x`"), "{error}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Buffer<T> {
    raw: RawBuffer,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Buffer<T> {
    pub(crate) fn allocate(device: &Device, name: &str, length: usize) -> Result<Self> {
        Self::allocate_in(device, Place::Device, name, length)
    }

    pub(crate) fn allocate_in(
        device: &Device,
        place: Place,
        name: &str,
        length: usize,
    ) -> Result<Self> {
        Ok(Self {
            raw: RawBuffer::allocate_in(device, place, name, T::TYPE, length)?,
            element: PhantomData,
        })
    }

    /// A buffer on a device that holds a copy of `elements`: [`Device::upload`] by another name.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn from_slice(device: &Device, name: &str, elements: &[T]) -> Result<Self> {
        device.upload(name, elements)
    }

    /// The buffer without its type.
    pub fn raw(&self) -> &RawBuffer {
        &self.raw
    }

    /// The name given at its creation, which findings use.
    pub fn name(&self) -> &str {
        self.raw.name()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.raw.bytes()
    }

    /// A copy of its elements on the host.
    ///
    /// # Errors
    /// [`Error::Buffer`] where a fault took it; [`Error::Driver`] where the GPU fails.
    #[track_caller]
    pub fn read(&self) -> Result<Vec<T>> {
        let mut elements = bytemuck::zeroed_vec(self.len());
        self.read_into(&mut elements)?;
        Ok(elements)
    }

    /// Copies its elements to memory that is there already.
    ///
    /// # Errors
    /// As [`Buffer::write`].
    #[track_caller]
    pub fn read_into(&self, elements: &mut [T]) -> Result<()> {
        self.check_length(elements.len())?;
        self.raw.read_at(0, bytemuck::cast_slice_mut(elements))
    }

    /// Overwrites all its elements.
    ///
    /// # Errors
    /// [`Error::Buffer`] where the lengths differ or a fault took it; [`Error::Driver`] where the GPU fails.
    #[track_caller]
    pub fn write(&self, elements: &[T]) -> Result<()> {
        self.check_length(elements.len())?;
        self.raw.write_at(0, bytemuck::cast_slice(elements))
    }

    pub(crate) fn check_length(&self, length: usize) -> Result<()> {
        if length == self.len() {
            return Ok(());
        }
        Err(self.raw.error(format!(
            "holds {} elements, and {length} were given",
            self.len()
        )))
    }

    /// Fills it with a byte pattern that no verified result holds, so that unwritten elements are told apart.
    #[track_caller]
    pub fn poison(&self) -> Result<()> {
        self.raw.poison()
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
