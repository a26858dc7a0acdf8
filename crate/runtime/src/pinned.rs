//! Pinned memory of the host, and asynchronous copies between it and a buffer. What pages are and how the driver pins them is `device`'s.

use crate::buffer::Buffer;
use crate::device::{Copying as Started, Device, HostAccess};
use cornerturn_base::element::Element;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory::{HostBytes, Pages};
use cornerturn_base::place::Direction;
use cornerturn_base::timing::{Timing, TimingOptions};
use cornerturn_emulator::streams::{Past, StreamId};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Elements in memory of the host whose pages stay where they are, so that a copy engine may read and write them while the
/// host does something else. It is used as a slice.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let x = device.poisoned::<f32>("x", 1000)?;
/// let host = device.pinned("host", &[2.5_f32; 1000])?;
/// let host = x.start_write(host)?.wait()?;
/// assert_eq!((x.read()?[999], host[0]), (2.5, 2.5));
/// # Ok::<(), Error>(())
/// ```
pub struct Pinned<T: Element> {
    device: Device,
    name: String,
    memory: Memory<T>,
    /// The life of the device's memory in which it was pinned.
    life: u64,
}

/// Pages of our own, or what somebody had already.
enum Memory<T> {
    Pages(Pages),
    Vec(Vec<T>),
}

impl<T: Element> Memory<T> {
    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Pages(pages) => pages.bytes_mut(),
            Self::Vec(elements) => bytemuck::cast_slice_mut(elements),
        }
    }
}

impl Device {
    /// Pinned memory that holds a copy of `elements`. Errors call it `name`.
    ///
    /// # Errors
    /// [`Error::Buffer`] for an empty slice; [`Error::Memory`]; [`Error::Driver`] where the system pins no more.
    pub fn pinned<T: Element>(&self, name: &str, elements: &[T]) -> Result<Pinned<T>> {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let mut pages = Pages::new(name, bytes.len())?;
        pages.bytes_mut().copy_from_slice(bytes);
        self.pin_memory(name, Memory::Pages(pages))
    }

    /// Pins the pages of a vector that is there already; [`Pinned::into_vec`] gives it back.
    ///
    /// # Errors
    /// As [`Device::pinned`].
    pub fn register<T: Element>(&self, name: &str, elements: Vec<T>) -> Result<Pinned<T>> {
        self.pin_memory(name, Memory::Vec(elements))
    }

    fn pin_memory<T: Element>(&self, name: &str, mut memory: Memory<T>) -> Result<Pinned<T>> {
        let life = self.pin(name, memory.bytes_mut())?;
        Ok(Pinned {
            device: self.clone(),
            name: name.to_string(),
            memory,
            life,
        })
    }
}

impl<T: Element> Pinned<T> {
    /// The name given at its creation.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Unpins it. A registered vector is the same one again, other memory is copied.
    pub fn into_vec(mut self) -> Vec<T> {
        self.device.unpin(self.memory.bytes_mut(), self.life);
        match std::mem::replace(&mut self.memory, Memory::Vec(Vec::new())) {
            Memory::Vec(elements) => elements,
            Memory::Pages(pages) => bytemuck::cast_slice(pages.bytes()).to_vec(),
        }
    }

    fn check_pinned(&self) -> Result<()> {
        if self.life == self.device.life() {
            return Ok(());
        }
        Err(Error::Buffer {
            name: self.name.clone(),
            reason: "is not pinned any more: a kernel's fault took the GPU's context with it. Its elements are there; \
                     pin them again with device.pinned"
                .to_string(),
        })
    }
}

impl<T: Element> HostBytes for Pinned<T> {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.memory.bytes_mut()
    }
}

impl<T: Element> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Pages(pages) => bytemuck::cast_slice(pages.bytes()),
            Memory::Vec(elements) => elements,
        }
    }
}

impl<T: Element> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.memory.bytes_mut())
    }
}

impl<T: Element> Drop for Pinned<T> {
    fn drop(&mut self) {
        let bytes = self.memory.bytes_mut();
        // Nothing is left of what `into_vec` has given back.
        if !bytes.is_empty() {
            self.device.unpin(bytes, self.life);
        }
    }
}

impl<T: Element> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pinned `{}`: {} × {}", self.name, self.len(), T::TYPE)
    }
}

/// A copy that goes on by itself. It holds the pinned memory, so that nobody reads or changes it before
/// [`Copying::wait`], and until then the buffer answers every use with an error.
#[must_use = "a copy is done when `wait` returns; dropped, it is waited for at once"]
pub struct Copying<T: Element> {
    buffer: Buffer<T>,
    direction: Direction,
    /// What the order of the program's streams knows of it.
    past: Past,
    /// `None` once it is finished. If it is forgotten, its memory is never freed.
    parts: Option<(Pinned<T>, Started)>,
}

impl<T: Element> Buffer<T> {
    /// Starts to copy pinned elements into the buffer.
    ///
    /// # Errors
    /// [`Error::Buffer`] where the lengths differ, or where one of the two is lost or in another copy.
    #[track_caller]
    pub fn start_write(&self, source: Pinned<T>) -> Result<Copying<T>> {
        self.start(Direction::ToDevice, source)
    }

    /// Starts to copy the buffer's elements into pinned memory.
    ///
    /// # Errors
    /// As [`Buffer::start_write`].
    #[track_caller]
    pub fn start_read(&self, target: Pinned<T>) -> Result<Copying<T>> {
        self.start(Direction::ToHost, target)
    }

    #[track_caller]
    fn start(&self, direction: Direction, mut pinned: Pinned<T>) -> Result<Copying<T>> {
        self.check_pair(&pinned)?;
        let (device, address) = (self.raw().device(), self.raw().address());
        let (all, is_store) = ((0, self.bytes()), direction == Direction::ToDevice);
        self.raw().check_alive()?;
        self.raw()
            .take_turn("the host's copy", HostAccess::Staged, all, is_store)?;
        let past = device.order().past(StreamId::DEFAULT);
        self.raw().begin_flight()?;
        match device.start_copy(direction, address, pinned.memory.bytes_mut()) {
            Ok(started) => Ok(Copying {
                buffer: self.clone(),
                direction,
                past,
                parts: Some((pinned, started)),
            }),
            Err(error) => {
                self.raw().end_flight();
                Err(error)
            }
        }
    }

    fn check_pair(&self, pinned: &Pinned<T>) -> Result<()> {
        self.check_length(pinned.len())?;
        self.check_pinned_for(pinned)
    }

    /// Refuses memory that is not pinned any more, or for another device.
    pub(crate) fn check_pinned_for(&self, pinned: &Pinned<T>) -> Result<()> {
        pinned.check_pinned()?;
        if self.raw().device().is_same(&pinned.device) {
            return Ok(());
        }
        Err(self.raw().error(format!(
            "lives on another device than the one for which `{}` is pinned",
            pinned.name
        )))
    }

    /// Times copies between pinned memory and the buffer by CUDA events, one after another.
    ///
    /// # Errors
    /// [`Error::NoClock`] on the emulator; else as [`Buffer::start_write`].
    pub fn time_copy(
        &self,
        direction: Direction,
        pinned: &mut Pinned<T>,
        options: impl Into<TimingOptions>,
    ) -> Result<Timing> {
        self.check_pair(pinned)?;
        self.raw().check_alive()?;
        let (device, address) = (self.raw().device(), self.raw().address());
        let bytes = pinned.memory.bytes_mut();
        device.time_pinned_copy(direction, address, bytes, &options.into())
    }
}

impl<T: Element> Copying<T> {
    /// Waits until the copy is done, and gives the pinned memory back.
    ///
    /// # Errors
    /// [`Error::Driver`] where the GPU failed meanwhile.
    pub fn wait(mut self) -> Result<Pinned<T>> {
        match self.finish() {
            Some(done) => done,
            None => Err(self.buffer.raw().error("its copy is over".to_string())),
        }
    }

    fn finish(&mut self) -> Option<Result<Pinned<T>>> {
        let (mut pinned, started) = self.parts.take()?;
        let raw = self.buffer.raw();
        let bytes = pinned.memory.bytes_mut();
        let result = raw
            .device()
            .finish_copy(started, self.direction, raw.address(), bytes);
        raw.end_flight();
        raw.device().order().synchronize_past(&self.past);
        Some(result.map(|()| pinned))
    }
}

impl<T: Element> Drop for Copying<T> {
    fn drop(&mut self) {
        // A failure cannot be answered in a drop, and the next call meets it again.
        drop(self.finish());
    }
}

impl<T: Element> fmt::Debug for Copying<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a copy of {:?} under way", self.buffer)
    }
}
