//! What a stream can be given: kernels, copies, fills. Each is checked here and becomes a `node`.

use crate::argument::Argument;
use crate::buffer::{Buffer, RawBuffer};
use crate::device::{self, Queued};
use crate::kernel::Kernel;
use crate::launch::{LaunchReport, prepare};
use crate::pinned::Pinned;
use crate::stream::Stream;
use crate::stream::copy::StreamCopy;
use crate::stream::node::Node;
use cornerturn_base::element::Element;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::memory::SharedHost;
use cornerturn_base::place::Direction;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::Touched;
use cornerturn_emulator::streams::Deed;
use std::sync::{Arc, Mutex};

/// What the addresses of host memory have set, so that no buffer's are taken for them.
const HOST: u64 = 1 << 63;

impl Stream {
    /// Queues a kernel. The arguments are checked as [`Device::launch`] checks them. On the emulator it runs at once; on a
    /// GPU nothing waits for it, so that it is not rehearsed: a kernel that has not run on the emulator may fault there.
    ///
    /// # Errors
    /// As [`Device::launch`]; [`Error::Unordered`] where it races with an earlier operation, which the emulator finds.
    ///
    /// [`Device::launch`]: crate::Device::launch
    #[track_caller]
    pub fn launch(
        &self,
        kernel: &Kernel,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
    ) -> Result<LaunchReport> {
        let deed = device::deed(format!("kernel `{}`", kernel.name()));
        self.launch_as(deed, kernel, grid.into(), block.into(), arguments)
    }

    /// The same for somebody who queues it for others, and says in findings what it is to them.
    pub fn launch_as(
        &self,
        deed: Deed,
        kernel: &Kernel,
        grid: Dim3,
        block: Dim3,
        arguments: &[Argument],
    ) -> Result<LaunchReport> {
        let caches = kernel.caches();
        if caches.window.is_some() || caches.persisting_bytes.is_some() {
            return Err(Error::Usage(format!(
                "{}: what it asks of L2 is given to one launch that is waited for; use device.launch",
                kernel.name()
            )));
        }
        let device = self.device();
        let prepared = prepare(device, kernel, grid, block, arguments)?;
        let report = LaunchReport::new(device, kernel, &prepared);
        let node = Node {
            deed,
            touched: may_touch(kernel, arguments),
            queued: Queued::Launch {
                kernel: kernel.clone(),
                prepared: Arc::new(prepared),
            },
            _keeps: arguments.to_vec(),
        };
        Ok(match self.queue(node)? {
            Some(counted) => report.counted(counted, kernel.source()),
            None => report,
        })
    }

    /// Queues a copy of pinned elements into a buffer of as many.
    ///
    /// # Errors
    /// [`Error::Buffer`] where the lengths or the devices differ; [`Error::Unordered`] as for [`Stream::launch`].
    #[track_caller]
    pub fn start_write<T: Element>(
        &self,
        target: &Buffer<T>,
        source: Pinned<T>,
    ) -> Result<StreamCopy<T>> {
        target.check_length(source.len())?;
        self.start_write_at(target, 0, source)
    }

    /// Queues a copy of pinned elements into a buffer, from an element on.
    ///
    /// # Errors
    /// As [`Stream::start_write`].
    #[track_caller]
    pub fn start_write_at<T: Element>(
        &self,
        target: &Buffer<T>,
        first: usize,
        source: Pinned<T>,
    ) -> Result<StreamCopy<T>> {
        self.start_copy(Direction::ToDevice, target, first, source)
    }

    /// Queues a copy of a buffer's elements into pinned memory of as many.
    ///
    /// # Errors
    /// As [`Stream::start_write`].
    #[track_caller]
    pub fn start_read<T: Element>(
        &self,
        source: &Buffer<T>,
        target: Pinned<T>,
    ) -> Result<StreamCopy<T>> {
        source.check_length(target.len())?;
        self.start_read_at(source, 0, target)
    }

    /// Queues a copy of a buffer's elements, from one on, into pinned memory, until that is full.
    ///
    /// # Errors
    /// As [`Stream::start_write`].
    #[track_caller]
    pub fn start_read_at<T: Element>(
        &self,
        source: &Buffer<T>,
        first: usize,
        target: Pinned<T>,
    ) -> Result<StreamCopy<T>> {
        self.start_copy(Direction::ToHost, source, first, target)
    }

    #[track_caller]
    fn start_copy<T: Element>(
        &self,
        direction: Direction,
        buffer: &Buffer<T>,
        first: usize,
        pinned: Pinned<T>,
    ) -> Result<StreamCopy<T>> {
        let (host, device) = (pinned.name(), buffer.name());
        let what = match direction {
            Direction::ToDevice => format!("the copy of `{host}` to `{device}`"),
            Direction::ToHost => format!("the copy of `{device}` to `{host}`"),
        };
        self.start_copy_as(device::deed(what), direction, buffer, first, pinned)
    }

    /// The same for somebody who queues it for others, and says in findings what it is to them.
    pub fn start_copy_as<T: Element>(
        &self,
        deed: Deed,
        direction: Direction,
        buffer: &Buffer<T>,
        first: usize,
        pinned: Pinned<T>,
    ) -> Result<StreamCopy<T>> {
        let (raw, bytes) = (buffer.raw(), size_of_val(&pinned[..]));
        self.check_buffer(raw)?;
        buffer.check_pinned_for(&pinned)?;
        let offset = first.saturating_mul(size_of::<T>());
        raw.check_range(offset, bytes)?;
        let range = offset as u64..(offset + bytes) as u64;
        let (name, host_base) = (
            pinned.name().to_string(),
            pinned.as_ptr().addr() as u64 | HOST,
        );
        let host = Arc::new(Mutex::new(pinned));
        let is_write = direction == Direction::ToDevice;
        let mut touched = device::touched(raw.name(), raw.address(), range, is_write);
        touched.extend(device::touched(
            &name,
            host_base,
            0..bytes as u64,
            !is_write,
        ));
        let shared: SharedHost = host.clone();
        let node = Node {
            deed,
            touched,
            queued: Queued::Copy {
                direction,
                address: raw.address() + offset as u64,
                host: shared,
            },
            _keeps: vec![Argument::from(raw)],
        };
        // Made first: whatever fails, it waits for what was queued before the memory goes.
        let copy = StreamCopy::new(self, host);
        self.queue(node)?;
        copy.begun(self)
    }

    /// Queues a copy from one buffer to another of the same length.
    ///
    /// # Errors
    /// As [`Stream::start_write`].
    #[track_caller]
    pub fn copy<T: Element>(&self, source: &Buffer<T>, target: &Buffer<T>) -> Result<()> {
        target.check_length(source.len())?;
        let (from, to) = (source.raw(), target.raw());
        self.check_buffer(from)?;
        self.check_buffer(to)?;
        if from.address() == to.address() {
            return Err(to.error("is copied to itself".to_string()));
        }
        let all = 0..from.bytes() as u64;
        let mut touched = device::touched(from.name(), from.address(), all.clone(), false);
        touched.extend(device::touched(to.name(), to.address(), all, true));
        let node = Node {
            deed: device::deed(format!("the copy of `{}` to `{}`", from.name(), to.name())),
            touched,
            queued: Queued::Move {
                from: from.address(),
                to: to.address(),
                bytes: from.bytes(),
            },
            _keeps: vec![Argument::from(from), Argument::from(to)],
        };
        self.queue(node).map(drop)
    }

    /// Queues writing one byte all over a buffer.
    ///
    /// # Errors
    /// As [`Stream::start_write`].
    #[track_caller]
    pub fn fill_byte<T: Element>(&self, buffer: &Buffer<T>, byte: u8) -> Result<()> {
        let raw = buffer.raw();
        self.check_buffer(raw)?;
        let node = Node {
            deed: device::deed(format!("the fill of `{}`", raw.name())),
            touched: device::touched(raw.name(), raw.address(), 0..raw.bytes() as u64, true),
            queued: Queued::Fill {
                address: raw.address(),
                bytes: raw.bytes(),
                byte,
            },
            _keeps: vec![Argument::from(raw)],
        };
        self.queue(node).map(drop)
    }

    fn check_buffer(&self, buffer: &RawBuffer) -> Result<()> {
        buffer.check_alive()?;
        match buffer.device().is_same(self.device()) {
            true => Ok(()),
            false => Err(buffer.error(format!(
                "lives on another device than stream `{}`; create both on one",
                self.name()
            ))),
        }
    }
}

/// What a kernel may do to the buffers that it is given, as far as its source tells: a GPU does not say more.
fn may_touch(kernel: &Kernel, arguments: &[Argument]) -> Touched {
    let mut touched = Touched::new();
    for (i, argument) in arguments.iter().enumerate() {
        let declared = kernel.declared().and_then(|declared| declared.get(i));
        let is_read = declared.is_some_and(|parameter| parameter.is_const);
        for buffer in argument.buffers() {
            let all = 0..buffer.bytes() as u64;
            touched.extend(device::touched(
                buffer.name(),
                buffer.address(),
                all,
                !is_read,
            ));
        }
    }
    touched
}
