//! Contexts: the primary one of each device, others that a program makes, and the stack of a thread. What a context holds is freed with it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::driver::Driver;
use crate::memory::Kind;
use crate::status::{Error, Result, Status};
use crate::stream::held;
use crate::table::new_handle;

/// A context.
#[derive(Debug)]
pub struct Context {
    /// Its handle.
    pub handle: u64,
    /// Its device.
    pub device: u32,
    /// Whether it is the device's primary one.
    pub is_primary: bool,
    /// The flags that it was made with.
    pub flags: AtomicU32,
    /// The error that a kernel has left: all calls fail with it until the context is gone, once somebody has waited.
    sticky: AtomicU32,
    /// The error that a kernel has left, before anybody has waited for it: what follows is not carried out.
    pending: AtomicU32,
    /// Devices whose memory its kernels may use.
    pub(crate) peers: Mutex<Vec<u32>>,
    /// Limits that were set, by number.
    pub(crate) limits: Mutex<Vec<(u32, usize)>>,
}

/// The primary context of a device.
#[derive(Debug, Default)]
pub struct Primary {
    pub(crate) context: Option<Arc<Context>>,
    /// How often it was retained.
    pub(crate) uses: u32,
    /// The flags of the next one.
    pub(crate) flags: u32,
}

thread_local! {
    /// Contexts of this thread, the current one last; 0 for none.
    static STACK: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl Context {
    fn new(device: u32, is_primary: bool, flags: u32) -> Self {
        Self {
            handle: new_handle(),
            device,
            is_primary,
            flags: AtomicU32::new(flags),
            sticky: AtomicU32::new(0),
            pending: AtomicU32::new(0),
            peers: Mutex::default(),
            limits: Mutex::default(),
        }
    }

    /// The error that a kernel has left.
    ///
    /// # Errors
    /// That error.
    pub fn check(&self) -> Result<()> {
        match self.sticky.load(Ordering::Relaxed) {
            0 => Ok(()),
            code => Err(Status(code).into()),
        }
    }

    /// Leaves an error; the first one stays. As on a GPU, calls give it from the next one on that waits.
    pub(crate) fn fail(&self, status: Status) {
        let first =
            (self.pending).compare_exchange(0, status.0, Ordering::Relaxed, Ordering::Relaxed);
        // Another one was there before.
        let _ = first;
    }

    /// It is as new.
    fn forgive(&self) {
        self.pending.store(0, Ordering::Relaxed);
        self.sticky.store(0, Ordering::Relaxed);
        held(&self.peers).clear();
        held(&self.limits).clear();
    }

    /// Whether a kernel has left an error, told or not.
    pub(crate) fn has_failed(&self) -> bool {
        self.pending.load(Ordering::Relaxed) != 0
    }

    /// Somebody waits: what a kernel has left is told now, and by all calls that follow.
    ///
    /// # Errors
    /// That error.
    pub fn settle(&self) -> Result<()> {
        let pending = self.pending.load(Ordering::Relaxed);
        self.sticky.store(pending, Ordering::Relaxed);
        self.check()
    }
}

impl Driver {
    pub(crate) fn primary(&self, device: u32) -> Result<MutexGuard<'_, Primary>> {
        let primary = self.primaries.get(device as usize);
        let primary = primary.ok_or(Status::INVALID_DEVICE)?;
        Ok(primary.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Retains the primary context of a device, which is made where there is none.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`].
    pub fn retain_primary(&self, device: u32) -> Result<Arc<Context>> {
        let mut primary = self.primary(device)?;
        primary.uses += 1;
        if let Some(context) = &primary.context {
            return Ok(context.clone());
        }
        let context = Arc::new(Context::new(device, true, primary.flags));
        self.contexts.put(context.handle, context.clone());
        primary.context = Some(context.clone());
        Ok(context)
    }

    /// Releases it; what it holds is freed with the last use.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`], [`Status::INVALID_CONTEXT`] if nobody has retained it.
    pub fn release_primary(&self, device: u32) -> Result<()> {
        let mut primary = self.primary(device)?;
        primary.uses = primary.uses.checked_sub(1).ok_or(Status::INVALID_CONTEXT)?;
        if primary.uses > 0 {
            return Ok(());
        }
        let context = primary.context.take();
        drop(primary);
        context.into_iter().for_each(|context| self.clear(&context));
        Ok(())
    }

    /// Frees all that the primary context of a device holds, its error as well. It keeps its handle and its uses.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`].
    pub fn reset_primary(&self, device: u32) -> Result<()> {
        let context = self.primary(device)?.context.clone();
        if let Some(context) = context {
            self.clear(&context);
            context.forgive();
            self.contexts.put(context.handle, context);
        }
        Ok(())
    }

    /// Makes a context and pushes it on this thread's stack.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`].
    pub fn create_context(&self, device: u32, flags: u32) -> Result<Arc<Context>> {
        if device >= self.devices() {
            return Err(Status::INVALID_DEVICE.into());
        }
        let context = Arc::new(Context::new(device, false, flags));
        self.contexts.put(context.handle, context.clone());
        push(context.handle);
        Ok(context)
    }

    /// Destroys a context that was created, with all that it holds.
    ///
    /// # Errors
    /// [`Status::INVALID_CONTEXT`] for another handle.
    pub fn destroy_context(&self, handle: u64) -> Result<()> {
        let context = self.contexts.get(handle).filter(|one| !one.is_primary);
        let context = context.ok_or(Status::INVALID_CONTEXT)?;
        if current() == handle {
            pop();
        }
        self.clear(&context);
        Ok(())
    }

    /// Frees what a context holds.
    fn clear(&self, context: &Context) {
        self.flush();
        self.order().synchronize();
        self.contexts.remove(context.handle);
        let of_context = self.modules.all().into_iter();
        for (handle, _) in of_context.filter(|(_, module)| module.context == context.handle) {
            // It is there.
            let _ = self.unload(handle);
        }
        for (handle, stream) in self.streams.all() {
            if stream.context == context.handle {
                self.order().remove_stream(stream.id);
                self.streams.remove(handle);
            }
        }
        let kinds = [Kind::Device, Kind::Managed, Kind::Pinned, Kind::Array];
        let all = self.allocated(&kinds).into_iter();
        for allocation in all.filter(|one| one.context == context.handle) {
            self.note_leak(&allocation);
            // It was there a moment ago, or another thread has just freed it.
            let _ = self.free(allocation.base, &kinds);
        }
    }

    /// The context that calls of this thread mean.
    ///
    /// # Errors
    /// [`Status::INVALID_CONTEXT`] if it has none; the error that a kernel has left in it.
    pub fn context(&self) -> Result<Arc<Context>> {
        let context = self.context_even_failed()?;
        context.check()?;
        Ok(context)
    }

    /// The same, whatever a kernel has left in it.
    ///
    /// # Errors
    /// [`Status::INVALID_CONTEXT`].
    pub fn context_even_failed(&self) -> Result<Arc<Context>> {
        let handle = current();
        self.contexts.get(handle).ok_or_else(|| match handle {
            0 => Error::new(
                Status::INVALID_CONTEXT,
                "no context is current in this thread",
            ),
            _ => Status::CONTEXT_IS_DESTROYED.into(),
        })
    }

    /// Makes a context this thread's current one; none for 0.
    ///
    /// # Errors
    /// [`Status::INVALID_CONTEXT`] for a handle that is none.
    pub fn make_current(&self, handle: u64) -> Result<()> {
        if handle != 0 && self.contexts.get(handle).is_none() {
            return Err(Status::INVALID_CONTEXT.into());
        }
        pop();
        if handle != 0 {
            push(handle);
        }
        Ok(())
    }

    /// Makes the primary context of a device current, and retains it where nobody has: what the runtime API does.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`].
    pub fn use_device(&self, device: u32) -> Result<Arc<Context>> {
        let known = self.primary(device)?.context.clone();
        let context = match known {
            Some(context) => context,
            None => self.retain_primary(device)?,
        };
        self.make_current(context.handle)?;
        Ok(context)
    }
}

/// The handle of this thread's context; 0 for none.
pub(crate) fn current() -> u64 {
    STACK.with_borrow(|stack| stack.last().copied().unwrap_or_default())
}

pub(crate) fn push(handle: u64) {
    STACK.with_borrow_mut(|stack| stack.push(handle));
}

/// Takes the current context from the stack; 0 if there was none.
pub(crate) fn pop() -> u64 {
    STACK.with_borrow_mut(|stack| stack.pop().unwrap_or_default())
}
