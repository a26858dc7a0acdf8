//! Libraries and their kernels: modules that belong to no context.

use std::ffi::{CString, c_char, c_int, c_uint};
use std::sync::{Arc, Mutex};

use super::device::known as known_device;
use super::launch::attribute;
use super::module::{image_at, known, read};
use super::{Address, Handle, In, Out, Text, driver, exports};
use crate::context::{current, pop};
use crate::module::LoadedModule;
use crate::status::{Error, Result, Status};

exports! {
    /// Loads an image.
    fn cuLibraryLoadData(library: Out<Handle>, image: Address, _options: In<c_uint>, _values: In<u64>, _count: c_uint, _library_options: In<c_uint>, _library_values: In<u64>, _library_count: c_uint) {
        library.check()?;
        library.set(load(&image_at(image)?)?.handle)
    }

    /// Loads a file.
    fn cuLibraryLoadFromFile(library: Out<Handle>, file: Text, _options: In<c_uint>, _values: In<u64>, _count: c_uint, _library_options: In<c_uint>, _library_values: In<u64>, _library_count: c_uint) {
        library.check()?;
        library.set(load(&read(&file.get()?)?)?.handle)
    }

    /// Unloads it.
    fn cuLibraryUnload(library: Handle) {
        driver()?.unload(library)
    }

    /// A kernel by its name.
    fn cuLibraryGetKernel(kernel: Out<Handle>, library: Handle, name: Text) {
        kernel.check()?;
        kernel.set(driver()?.function(&known(library)?, &name.get()?)?.handle)
    }

    /// How many kernels it has.
    fn cuLibraryGetKernelCount(count: Out<c_uint>, library: Handle) {
        count.set(known(library)?.kernels().len() as c_uint)
    }

    /// Its kernels.
    fn cuLibraryEnumerateKernels(kernels: Out<Handle>, count: c_uint, library: Handle) {
        let (driver, module) = (driver()?, known(library)?);
        let names = module.kernels().into_iter().take(count as usize);
        let all: Result<Vec<Handle>> = names
            .map(|name| Ok(driver.function(&module, &name)?.handle))
            .collect();
        kernels.set_all(all?)
    }

    /// The module of a library.
    fn cuLibraryGetModule(module: Out<Handle>, library: Handle) {
        module.set(known(library)?.handle)
    }

    /// A variable by its name.
    fn cuLibraryGetGlobal(address: Out<Address>, bytes: Out<usize>, library: Handle, name: Text) {
        let module = known(library)?;
        let symbol = driver()?.symbol(&module, &name.get()?)?;
        address.set_if_asked(symbol.address);
        bytes.set_if_asked(symbol.bytes as usize);
        Ok(())
    }

    /// A managed variable by its name.
    fn cuLibraryGetManaged(address: Out<Address>, bytes: Out<usize>, library: Handle, name: Text) {
        let module = known(library)?;
        let symbol = driver()?.symbol(&module, &name.get()?)?;
        address.set_if_asked(symbol.address);
        bytes.set_if_asked(symbol.bytes as usize);
        Ok(())
    }

    /// The address of a function for all devices: there is none.
    fn cuLibraryGetUnifiedFunction(function: Out<Handle>, _library: Handle, _name: Text) {
        function.check()?;
        Err(Status::NOT_FOUND.into())
    }

    /// The kernel in the current context.
    fn cuKernelGetFunction(function: Out<Handle>, kernel: Handle) {
        function.set(driver()?.function_of(kernel)?.handle)
    }

    /// Its library.
    fn cuKernelGetLibrary(library: Out<Handle>, kernel: Handle) {
        library.set(driver()?.function_of(kernel)?.module.handle)
    }

    /// Its name.
    fn cuKernelGetName(name: Out<*const c_char>, kernel: Handle) {
        name.set(kept(&driver()?.function_of(kernel)?.name))
    }

    /// The name of a kernel of a module.
    fn cuFuncGetName(name: Out<*const c_char>, function: Handle) {
        name.set(kept(&driver()?.function_of(function)?.name))
    }

    /// Its module.
    fn cuFuncGetModule(module: Out<Handle>, function: Handle) {
        module.set(driver()?.function_of(function)?.module.handle)
    }

    /// Where a parameter lies, and its size.
    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        parameter(kernel, index, offset, bytes)
    }

    /// The same of a kernel of a module.
    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        parameter(function, index, offset, bytes)
    }

    /// How many parameters it takes.
    fn cuKernelGetParamCount(kernel: Handle, count: Out<usize>) {
        count.set(driver()?.function_of(kernel)?.params.len())
    }

    /// The same of a kernel of a module.
    fn cuFuncGetParamCount(function: Handle, count: Out<usize>) {
        count.set(driver()?.function_of(function)?.params.len())
    }

    /// An attribute.
    fn cuKernelGetAttribute(value: Out<c_int>, number: c_uint, kernel: Handle, device: c_int) {
        known_device(device)?;
        value.set(driver()?.function_of(kernel)?.attribute(attribute(number)?))
    }

    /// Sets one.
    fn cuKernelSetAttribute(number: c_uint, value: c_int, kernel: Handle, device: c_int) {
        known_device(device)?;
        driver()?.function_of(kernel)?.set_attribute(attribute(number)?, value)
    }

    /// What is preferred of L1 and shared memory changes nothing.
    fn cuKernelSetCacheConfig(kernel: Handle, _config: c_uint, device: c_int) {
        known_device(device)?;
        driver()?.function_of(kernel).map(drop)
    }
}

/// Loads an image, in the context of the first device where none is current.
fn load(bytes: &[u8]) -> Result<Arc<LoadedModule>> {
    let driver = driver()?;
    if current() != 0 {
        return driver.load_image(bytes);
    }
    driver.use_device(0)?;
    let loaded = driver.load_image(bytes);
    pop();
    loaded
}

fn parameter(function: Handle, index: usize, offset: Out<usize>, bytes: Out<usize>) -> Result<()> {
    let function = driver()?.function_of(function)?;
    let found = function.offsets.get(index).zip(function.params.get(index));
    let (at, param) = found.ok_or(Status::INVALID_VALUE)?;
    offset.set(*at)?;
    bytes.set_if_asked(param.bytes);
    Ok(())
}

/// A name for C, which stays.
fn kept(name: &str) -> *const c_char {
    static NAMES: Mutex<Vec<CString>> = Mutex::new(Vec::new());
    let mut names = crate::stream::held(&NAMES);
    if let Some(known) = names
        .iter()
        .find(|known| known.as_bytes() == name.as_bytes())
    {
        return known.as_ptr();
    }
    // A name in PTX has no NUL.
    let name = CString::new(name).unwrap_or_default();
    let address = name.as_ptr();
    names.push(name);
    address
}

/// A number that is no attribute.
pub(crate) fn no_attribute(number: c_uint) -> Error {
    Error::new(
        Status::INVALID_VALUE,
        format!("{number} is no attribute of a kernel"),
    )
}
