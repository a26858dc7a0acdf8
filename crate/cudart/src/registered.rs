//! What a program's start-up code registers: its images, the host's functions that stand for kernels, the host's variables that stand for device variables. An image is loaded when something of it is first used.

use crate::call::{Failure, Result};
use crate::errors::CudaError;
use crate::types::FatbinWrapper;
use crate::{fault, last_error};
use cornerturn_cuda::{Driver, Function, LoadedModule, Symbol, WRAPPER_MAGIC, container_bytes};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An image within the program, and the modules that it has become, by context.
#[derive(Debug, Default)]
struct Image {
    /// Empty where there was none to read.
    bytes: &'static [u8],
    modules: HashMap<u64, Arc<LoadedModule>>,
    managed: Vec<Managed>,
}

/// A managed variable: where the program keeps its address.
#[derive(Debug)]
struct Managed {
    /// The address of that pointer.
    pointer: usize,
    name: String,
}

/// A name in an image.
#[derive(Debug, Clone)]
struct Named {
    image: usize,
    name: String,
}

/// All that was registered.
#[derive(Debug, Default)]
struct Registry {
    images: Vec<Image>,
    /// By the host's function.
    kernels: HashMap<usize, Named>,
    /// By the host's variable.
    variables: HashMap<usize, Named>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

fn locked() -> MutexGuard<'static, Option<Registry>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first bytes of a container, which tell its size.
const HEAD_BYTES: usize = 16;

/// The kernel that a host's function stands for, as the thread's context has it.
///
/// # Errors
/// `cudaErrorInvalidDeviceFunction` if it stands for none; what is wrong with its image.
pub(crate) fn kernel(driver: &Driver, function: *const c_void) -> Result<Arc<Function>> {
    let mut registry = locked();
    let registry = registry.get_or_insert_default();
    let named = registry.kernels.get(&(function as usize)).cloned();
    let named = named.ok_or_else(|| {
        Failure::new(
            CudaError::INVALID_FUNCTION,
            "the function is no `__global__` function of this program",
        )
    })?;
    let module = registry.module(driver, named.image)?;
    Ok(driver.function(&module, &named.name)?)
}

/// The device variable that a host's variable stands for.
///
/// # Errors
/// `cudaErrorInvalidSymbol` if it stands for none; what is wrong with its image.
pub(crate) fn variable(driver: &Driver, symbol: *const c_void) -> Result<Symbol> {
    let mut registry = locked();
    let registry = registry.get_or_insert_default();
    let Some(named) = registry.variables.get(&(symbol as usize)).cloned() else {
        return managed(driver, symbol);
    };
    let module = registry.module(driver, named.image)?;
    Ok(driver.symbol(&module, &named.name)?.clone())
}

/// A managed variable stands for itself.
fn managed(driver: &Driver, symbol: *const c_void) -> Result<Symbol> {
    let found = driver
        .allocation(symbol as u64)
        .filter(|(_, offset)| *offset == 0);
    let (allocation, _) = found.ok_or_else(|| {
        Failure::new(
            CudaError::INVALID_SYMBOL,
            "the symbol is no `__device__`, `__constant__` or `__managed__` variable of this program",
        )
    })?;
    Ok(Symbol {
        name: allocation.name,
        address: allocation.base,
        bytes: allocation.bytes as u64,
        is_constant: false,
    })
}

impl Registry {
    /// An image as a module of the thread's context, loaded where it is not yet.
    fn module(&mut self, driver: &Driver, image: usize) -> Result<Arc<LoadedModule>> {
        let context = driver.context_even_failed()?.handle;
        let image = self.images.get_mut(image).ok_or(CudaError::INVALID_IMAGE)?;
        if let Some(module) = image.modules.get(&context) {
            return Ok(module.clone());
        }
        let module = driver.load_image(image.bytes)?;
        image.modules.insert(context, module.clone());
        for variable in &image.managed {
            let address = driver.symbol(&module, &variable.name)?.address;
            // SAFETY: the program has registered the address of a pointer of its own for this.
            unsafe { (variable.pointer as *mut *mut c_void).write(address as *mut c_void) };
        }
        Ok(module)
    }

    fn name(&mut self, handle: *mut *mut c_void, name: *const c_char) -> Option<Named> {
        let image = (handle as usize).checked_sub(1)?;
        if name.is_null() || image >= self.images.len() {
            return None;
        }
        // SAFETY: nvcc's start-up code gives a literal.
        let name = unsafe { CStr::from_ptr(name) }.to_str().ok()?.to_string();
        Some(Named { image, name })
    }
}

/// The bytes of the image that a wrapper points to; none if it is not what `fatbinary_section.h` says.
///
/// # Safety
/// `wrapper` is null or what nvcc's start-up code gives.
unsafe fn image_of(wrapper: *const FatbinWrapper) -> Option<&'static [u8]> {
    // SAFETY: the caller's promise.
    let wrapper = unsafe { wrapper.as_ref() }?;
    if wrapper.magic.cast_unsigned() != WRAPPER_MAGIC || wrapper.data.is_null() {
        return None;
    }
    let data = wrapper.data.cast::<u8>();
    // SAFETY: a container begins with its header, and lies in the program's own read-only data.
    let head = unsafe { std::slice::from_raw_parts(data, HEAD_BYTES) };
    let bytes = container_bytes(head)?;
    // SAFETY: the header tells how long the container is.
    Some(unsafe { std::slice::from_raw_parts(data, bytes) })
}

/// Called by the program's start-up code for each file with kernels.
///
/// # Safety
/// `wrapper` is what nvcc has put into the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFatBinary(wrapper: *mut c_void) -> *mut *mut c_void {
    // It reports when the process ends, after what the program does then: so it is started now. A setting that is refused
    // is told by the first call that can fail.
    if Driver::start().is_ok() {
        last_error::watch_exit();
        fault::watch();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { image_of(wrapper.cast()) }.unwrap_or_default();
    let mut registry = locked();
    let images = &mut registry.get_or_insert_default().images;
    images.push(Image {
        bytes,
        ..Image::default()
    });
    // The program only hands it back: the number of the image, from 1.
    images.len() as *mut *mut c_void
}

/// Called when all of a file is registered.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

/// Called when the program ends. Its modules stay: what the report says of them comes later.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(_handle: *mut *mut c_void) {}

/// Called for each kernel.
///
/// # Safety
/// `name` is a literal of nvcc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    function: *const c_char,
    _device_function: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_size: *mut c_void,
    _grid_size: *mut c_void,
    _warp_size: *mut c_int,
) {
    let mut registry = locked();
    let registry = registry.get_or_insert_default();
    if let Some(named) = registry.name(handle, name) {
        registry.kernels.insert(function as usize, named);
    }
}

/// Called for each variable in device or constant memory.
///
/// # Safety
/// `name` is a literal of nvcc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    variable: *mut c_char,
    _device_address: *mut c_char,
    name: *const c_char,
    _is_extern: c_int,
    _bytes: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    let mut registry = locked();
    let registry = registry.get_or_insert_default();
    if let Some(named) = registry.name(handle, name) {
        registry.variables.insert(variable as usize, named);
    }
}

/// Called for each managed variable; `pointer` is where the program looks for its address.
///
/// # Safety
/// `name` is a literal of nvcc's, and `pointer` that of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    pointer: *mut *mut c_void,
    _device_address: *mut c_char,
    name: *const c_char,
    _is_extern: c_int,
    _bytes: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    let mut registry = locked();
    let registry = registry.get_or_insert_default();
    if let Some(named) = registry.name(handle, name) {
        let variable = Managed {
            pointer: pointer as usize,
            name: named.name,
        };
        registry.images[named.image].managed.push(variable);
    }
}

/// Called before the host first uses a managed variable: its image is loaded, so that the variable has its address.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(handle: *mut *mut c_void) -> c_char {
    let error = crate::call::call(|driver| {
        let image = (handle as usize).wrapping_sub(1);
        let mut registry = locked();
        registry.get_or_insert_default().module(driver, image)?;
        Ok(())
    });
    // What cannot be loaded has no address either, and the program faults at its first use: `call` has said why.
    c_char::from(error == CudaError::SUCCESS)
}
