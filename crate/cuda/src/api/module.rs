//! Modules: images that are loaded into a context, their kernels and variables.

use std::ffi::{CStr, c_int, c_uint};
use std::sync::Arc;

use super::{Address, Handle, In, Out, Text, bytes_at, driver, exports};
use crate::fatbin;
use crate::module::LoadedModule;
use crate::status::{Error, Result, Status};

exports! {
    /// Loads a file.
    fn cuModuleLoad(module: Out<Handle>, file: Text) {
        module.check()?;
        let bytes = read(&file.get()?)?;
        module.set(driver()?.load_image(&bytes)?.handle)
    }

    /// Loads an image.
    fn cuModuleLoadData(module: Out<Handle>, image: Address) {
        module.check()?;
        module.set(driver()?.load_image(&image_at(image)?)?.handle)
    }

    /// Loads an image; of the options, logs are emptied and what they measure is nothing.
    fn cuModuleLoadDataEx(module: Out<Handle>, image: Address, count: c_uint, options: In<c_uint>, values: In<u64>) {
        module.check()?;
        let (options, values) = (options.list(count as usize)?, values.list(count as usize)?);
        let loaded = driver()?.load_image(&image_at(image)?);
        let log = loaded.as_ref().err().map(ToString::to_string);
        Logs::of(&options, &values).put("", log.as_deref().unwrap_or_default());
        module.set(loaded?.handle)
    }

    /// Loads a fat binary.
    fn cuModuleLoadFatBinary(module: Out<Handle>, image: Address) {
        module.check()?;
        module.set(driver()?.load_image(&image_at(image)?)?.handle)
    }

    /// Unloads it.
    fn cuModuleUnload(module: Handle) {
        driver()?.unload(module)
    }

    /// When kernels are loaded: at once.
    fn cuModuleGetLoadingMode(mode: Out<c_uint>) {
        driver()?;
        mode.set(1)
    }

    /// A kernel by its name.
    fn cuModuleGetFunction(function: Out<Handle>, module: Handle, name: Text) {
        function.check()?;
        let driver = driver()?;
        driver.context()?;
        function.set(driver.function(&known(module)?, &name.get()?)?.handle)
    }

    /// How many kernels it has.
    fn cuModuleGetFunctionCount(count: Out<c_uint>, module: Handle) {
        count.set(known(module)?.kernels().len() as c_uint)
    }

    /// Its kernels.
    fn cuModuleEnumerateFunctions(functions: Out<Handle>, count: c_uint, module: Handle) {
        let (driver, module) = (driver()?, known(module)?);
        let names = module.kernels().into_iter().take(count as usize);
        let all: Result<Vec<Handle>> = names
            .map(|name| Ok(driver.function(&module, &name)?.handle))
            .collect();
        functions.set_all(all?)
    }

    /// A variable by its name.
    fn cuModuleGetGlobal_v2(address: Out<Address>, bytes: Out<usize>, module: Handle, name: Text) {
        let module = known(module)?;
        let symbol = driver()?.symbol(&module, &name.get()?)?;
        address.set_if_asked(symbol.address);
        bytes.set_if_asked(symbol.bytes as usize);
        Ok(())
    }

    /// A texture reference: CUDA has none any more.
    fn cuModuleGetTexRef(reference: Out<Handle>, _module: Handle, _name: Text) {
        reference.check()?;
        Err(Error::new(Status::NOT_SUPPORTED, "texture references are gone from CUDA; make a texture object"))
    }

    /// A surface reference: the same.
    fn cuModuleGetSurfRef(reference: Out<Handle>, _module: Handle, _name: Text) {
        reference.check()?;
        Err(Error::new(Status::NOT_SUPPORTED, "surface references are gone from CUDA; make a surface object"))
    }

    /// Whether a kernel is loaded.
    fn cuFuncIsLoaded(state: Out<c_int>, function: Handle) {
        driver()?.function_of(function)?;
        state.set(1)
    }

    /// Loads it.
    fn cuFuncLoad(function: Handle) {
        driver()?.function_of(function).map(drop)
    }
}

/// The module of a handle.
pub(crate) fn known(handle: Handle) -> Result<Arc<LoadedModule>> {
    let module = driver()?.modules.get(handle);
    module.ok_or_else(|| Status::INVALID_HANDLE.into())
}

/// The bytes of a file.
pub(crate) fn read(path: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let message = format!("{path} cannot be read: {error}");
        Error::new(Status::FILE_NOT_FOUND, message)
    })
}

/// The bytes of an image: as many as it says itself.
pub(crate) fn image_at(address: Address) -> Result<Vec<u8>> {
    let head = |count| bytes_at(address, count);
    // Every image has 4 bytes: a text that is shorter is none, and its NUL lies within an allocation's granule.
    let magic = u32::from_le_bytes(In(head(4)?.as_ptr().cast::<[u8; 4]>()).get()?);
    Ok(match magic {
        fatbin::WRAPPER_MAGIC => {
            let container = In((address + 8) as *const Address).get()?;
            return container_at(container);
        }
        fatbin::MAGIC => return container_at(address),
        magic if magic.to_le_bytes() == *b"\x7fELF" => head(4)?.to_vec(),
        _ => {
            // SAFETY: the C caller promises PTX text with a NUL at its end where it is no container.
            let text = unsafe { CStr::from_ptr(address as *const _) };
            text.to_bytes().to_vec()
        }
    })
}

fn container_at(address: Address) -> Result<Vec<u8>> {
    let head = bytes_at(address, 16)?;
    let whole = fatbin::container_bytes(head).ok_or(Status::INVALID_IMAGE)?;
    Ok(bytes_at(address, whole)?.to_vec())
}

/// Where a program wants to read what a compiler says: `CUjit_option` 3 and 5 are buffers, 4 and 6 their sizes.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Logs {
    info: (u64, usize),
    error: (u64, usize),
}

impl Logs {
    pub(crate) fn of(options: &[c_uint], values: &[u64]) -> Self {
        let value = |option| {
            let found = options
                .iter()
                .zip(values)
                .find(|(known, _)| **known == option);
            found.map_or(0, |(_, value)| *value)
        };
        Self {
            info: (value(3), value(4) as u32 as usize),
            error: (value(5), value(6) as u32 as usize),
        }
    }

    /// Puts texts into the buffers, cut where they have to be.
    pub(crate) fn put(self, info: &str, error: &str) {
        for ((buffer, room), text) in [(self.info, info), (self.error, error)] {
            if buffer != 0 && room > 0 {
                let bytes = text.bytes().take(room - 1).chain([0]);
                // The buffer is not null.
                let _ = Out(buffer as *mut u8).set_all(bytes);
            }
        }
    }
}
