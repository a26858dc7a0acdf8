//! Buffers that host and kernels both reach: mapped and managed ones. A buffer's other abilities are `buffer`'s.

use crate::buffer::Buffer;
use crate::device::Device;
use cornerturn_base::element::Element;
use cornerturn_base::error::Result;
use cornerturn_base::place::{Advice, Place, Side};
use std::fmt;
use std::ops::Deref;

impl Device {
    /// A buffer in pages of the host, which kernels read and write over the link (“zero-copy”). Findings call it `name`.
    ///
    /// [`Buffer::read`] and [`Buffer::write`] are then the host's own loads and stores.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn mapped<T: Element>(&self, name: &str, elements: &[T]) -> Result<Buffer<T>> {
        let buffer = Buffer::allocate_in(self, Place::Mapped, name, elements.len())?;
        buffer.write(elements)?;
        Ok(buffer)
    }

    /// A buffer of managed memory, whose pages move to the side that touches them; the host has touched all.
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn managed<T: Element>(&self, name: &str, elements: &[T]) -> Result<Managed<T>> {
        let buffer = Buffer::allocate_in(self, Place::Managed, name, elements.len())?;
        buffer.write(elements)?;
        Ok(Managed(buffer))
    }

    /// The same that nobody has touched yet: its pages are where the first access is. The elements are not initialised.
    ///
    /// # Errors
    /// As [`Device::poisoned`].
    pub fn managed_untouched<T: Element>(&self, name: &str, length: usize) -> Result<Managed<T>> {
        Buffer::allocate_in(self, Place::Managed, name, length).map(Managed)
    }
}

/// A buffer of managed memory. Besides what every buffer can, its pages can be sent ahead.
///
/// ```
/// use cornerturn::prelude::*;
///
/// let device = Device::emulator();
/// let x = device.managed("x", &[1_i32, 2, 3])?;
/// x.prefetch(Side::Device)?;
/// assert_eq!(x.read()?, [1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Managed<T: Element>(Buffer<T>);

impl<T: Element> Managed<T> {
    /// Queues the move of all its pages to a side. Launches come after it; the host waits with [`Device::synchronize`],
    /// or its first touch does.
    ///
    /// # Errors
    /// [`Error::Buffer`](cornerturn_base::Error::Buffer) where a fault took it; [`Error::Driver`](cornerturn_base::Error::Driver).
    pub fn prefetch(&self, side: Side) -> Result<()> {
        let raw = self.0.raw();
        raw.check_alive()?;
        raw.device().prefetch(raw.address(), raw.bytes(), side)
    }

    /// Tells the driver how it will be used. A hint: results do not depend on it.
    ///
    /// # Errors
    /// As [`Managed::prefetch`].
    pub fn advise(&self, advice: Advice) -> Result<()> {
        let raw = self.0.raw();
        raw.check_alive()?;
        raw.device().advise(raw.address(), raw.bytes(), advice)
    }
}

impl<T: Element> Deref for Managed<T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        &self.0
    }
}

impl<T: Element> fmt::Debug for Managed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "managed {:?}", self.0)
    }
}
