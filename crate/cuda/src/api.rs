//! The C functions of `libcuda.so.1`: what they have in common. Each reads its arguments, calls the core, and turns what it says into a code; nothing unwinds into C.

mod context;
mod copy;
mod device;
mod graph;
mod graph_nodes;
mod initial;
mod kernel;
mod launch;
mod link;
mod memory;
mod module;
mod occupancy;
mod own;
mod pointer;
mod pool;
mod stream;
mod structs;
mod tensor;
mod texture;

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::driver::Driver;
use crate::host;
use crate::status::{Error, Result, Status};

/// A handle as C passes it: a pointer that nobody follows.
pub(crate) type Handle = u64;
/// `CUdeviceptr`.
pub(crate) type Address = u64;

/// A pointer from C to where a value goes, or null.
///
/// It is made by C callers only, who promise that it is null or can be written: the driver's API asks that of every pointer.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Writes the value.
    pub(crate) fn set(self, value: T) -> Result<()> {
        match self.set_if_asked(value) {
            true => Ok(()),
            false => Err(Status::INVALID_VALUE.into()),
        }
    }

    /// Writes the value, if there is a place for it.
    pub(crate) fn set_if_asked(self, value: T) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: not null, so the C caller's promise holds.
        unsafe { self.0.write_unaligned(value) };
        true
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Refuses a null pointer before anything is done.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_null() {
            true => Err(Status::INVALID_VALUE.into()),
            false => Ok(()),
        }
    }

    /// Writes values one after the other; the caller in C has room for as many.
    pub(crate) fn set_all(self, values: impl IntoIterator<Item = T>) -> Result<()> {
        self.check()?;
        for (at, value) in values.into_iter().enumerate() {
            // SAFETY: not null, and the C caller said how many there is room for, which the caller here keeps to.
            unsafe { self.0.add(at).write_unaligned(value) };
        }
        Ok(())
    }
}

/// A pointer from C to values, or null. As of [`Out`], the C caller promises that it can be read.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// The value.
    pub(crate) fn get(&self) -> Result<T> {
        self.get_if_given()
            .ok_or_else(|| Status::INVALID_VALUE.into())
    }

    /// The value, if there is one.
    pub(crate) fn get_if_given(&self) -> Option<T> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so the C caller's promise holds.
        Some(unsafe { self.0.read_unaligned() })
    }

    /// So many values.
    pub(crate) fn list(&self, count: usize) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE.into());
        }
        // SAFETY: not null, and the C caller said how many there are.
        let value = |at| unsafe { self.0.add(at).read_unaligned() };
        Ok((0..count).map(value).collect())
    }

    /// The value at an index, which the C caller has promised to be there.
    pub(crate) fn at(&self, index: usize) -> Result<T> {
        In(self.0.wrapping_add(index)).get()
    }
}

/// Text from C, or null.
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// The text.
    pub(crate) fn get(&self) -> Result<String> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE.into());
        }
        // SAFETY: not null, and the C caller promises a NUL at its end.
        let text = unsafe { CStr::from_ptr(self.0) };
        let text = text.to_str().map_err(|_| Status::INVALID_VALUE)?;
        Ok(text.to_string())
    }
}

/// Bytes at an address of the C caller's.
///
/// It has promised that they can be read for as long as this call takes.
pub(crate) fn bytes_at<'a>(address: u64, count: usize) -> Result<&'a [u8]> {
    if address == 0 {
        return Err(Status::INVALID_VALUE.into());
    }
    // SAFETY: the C caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, count) })
}

/// A function of the API, for the table.
#[derive(Clone, Copy)]
pub(crate) struct Entry(*const ());

// SAFETY: the address of a function.
unsafe impl Sync for Entry {}
// SAFETY: the same.
unsafe impl Send for Entry {}

/// Functions of the API, each with a body that gives a [`Result`]: exported under their names, and listed as `TABLE`.
macro_rules! exports {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[doc = $doc])*
            #[allow(non_snake_case, reason = "the driver's names")]
            #[unsafe(no_mangle)]
            pub(crate) extern "C" fn $name($($arg: $ty),*) -> u32 {
                $crate::api::guard(stringify!($name), || $body)
            }
        )*
        /// The functions of this file by name.
        pub(super) const TABLE: &[(&str, $crate::api::Entry)] = &[
            $((stringify!($name), $crate::api::Entry($name as *const ()))),*
        ];
    };
}
pub(crate) use exports;

/// Runs the body of a function: gives its code, and says what went wrong where the code alone would not.
pub(crate) fn guard(name: &str, body: impl FnOnce() -> Result<()>) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::SUCCESS.0,
        Ok(Err(error)) => {
            // What is said goes to C's files and our own records, which must not unwind either.
            let _ = catch_unwind(AssertUnwindSafe(|| tell(name, &error)));
            error.status.0
        }
        Err(_) => {
            host::complain(&format!(
                "{name}: this is a fault of the stand-in driver, please report it"
            ));
            Status::UNKNOWN.0
        }
    }
}

/// A failed call: a line on stderr where the stand-in lacks something or cannot take what it is given, a remark otherwise.
fn tell(name: &str, error: &Error) {
    let is_loud = matches!(
        error.status,
        Status::NO_BINARY_FOR_GPU
            | Status::NOT_SUPPORTED
            | Status::INVALID_PTX
            | Status::INVALID_IMAGE
    );
    let text = format!("{name}: {error}");
    if is_loud && !error.message.is_empty() {
        host::complain(&text);
    }
    // What is asked for in vain stands in the report by name.
    let is_quiet = error.status == Status::NOT_READY || name.starts_with("cuGetProcAddress");
    if let Some(driver) = Driver::started().filter(|_| !is_quiet) {
        driver.note_remark("failed_call", &text);
    }
}

/// The driver, which `cuInit` must have started.
pub(crate) fn driver() -> Result<&'static Driver> {
    Driver::started().ok_or_else(|| Status::NOT_INITIALIZED.into())
}

/// The function of this name.
pub(crate) fn entry(name: &str) -> Option<*const ()> {
    static ALL: OnceLock<HashMap<&'static str, Entry>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let tables = [
            context::TABLE,
            copy::TABLE,
            device::TABLE,
            graph::TABLE,
            graph_nodes::TABLE,
            initial::TABLE,
            kernel::TABLE,
            launch::TABLE,
            link::TABLE,
            memory::TABLE,
            module::TABLE,
            occupancy::TABLE,
            own::TABLE,
            pointer::TABLE,
            pool::TABLE,
            stream::TABLE,
            texture::TABLE,
        ];
        tables.into_iter().flatten().copied().collect()
    });
    all.get(name).map(|entry| entry.0)
}
