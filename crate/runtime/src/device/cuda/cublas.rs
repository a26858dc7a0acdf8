//! cuBLAS, loaded at run time where it is installed: a handle in the device's context, and calls of `geam`. Which tasks it can do is decided in `geam`; products are in `gemm`.

use super::driver::{CUBLAS, Failure, check};
use super::{CudaDevice, State};
use crate::device::GeamCall;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::libraries;
use cornerturn_base::timing::{Timing, TimingOptions};
use cudarc::driver::sys::CUstream;
use libloading::Library;
use std::ffi::{c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_uint;
type Destroy = unsafe extern "C" fn(Handle) -> c_uint;
type GetProperty = unsafe extern "C" fn(c_int, *mut c_int) -> c_uint;
type SetStream = unsafe extern "C" fn(Handle, CUstream) -> c_uint;
/// Handle, the two operations, rows and columns of C, alpha, A and its leading dimension, beta, B and its, C and its.
type GeamFunction<T> = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    *const T,
    *const T,
    c_int,
    *const T,
    *const T,
    c_int,
    *mut T,
    c_int,
) -> c_uint;

/// `CUBLAS_OP_N` and `CUBLAS_OP_T`.
pub(super) const AS_IT_IS: c_int = 0;
pub(super) const TRANSPOSED: c_int = 1;

/// cuBLAS with a handle in one context.
pub struct Cublas {
    /// Never unloaded: it keeps state of its own in the driver.
    pub(super) library: ManuallyDrop<Library>,
    pub(super) handle: Handle,
    /// The life of the context that the handle belongs to.
    life: u64,
    version: String,
}

// SAFETY: a handle may be used by any thread, one at a time (cuBLAS manual, section 2.1.2); every call here is made with
// the device's lock held.
unsafe impl Send for Cublas {}
// SAFETY: as above.
unsafe impl Sync for Cublas {}

impl Cublas {
    /// Loads the library and makes a handle in the device's context.
    pub fn open(cuda: &CudaDevice) -> Result<Self> {
        let library = ManuallyDrop::new(load()?);
        let mut state = cuda.enter()?;
        let version = version(&library)?;
        let mut handle = std::ptr::null_mut();
        let create = symbol::<Create>(&library, c"cublasCreate_v2")?;
        // SAFETY: the signature is the cuBLAS manual's, `handle` is writable and a context is current.
        let code = unsafe { create(&mut handle) };
        cuda.settle(&mut state, status("cublasCreate", code))?;
        let set_stream = symbol::<SetStream>(&library, c"cublasSetStream_v2")?;
        // SAFETY: handle and stream belong to the current context.
        let code = unsafe { set_stream(handle, state.stream) };
        cuda.settle(&mut state, status("cublasSetStream", code))?;
        Ok(Self {
            library,
            handle,
            life: cuda.life(),
            version,
        })
    }

    /// The version of the library that was loaded.
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl CudaDevice {
    /// Runs `geam` once and waits for it.
    pub fn geam(&self, cublas: &Cublas, call: &GeamCall) -> Result<()> {
        let submit = self.geam_submitter(cublas, call)?;
        let mut state = self.enter()?;
        self.check_cublas(cublas)?;
        let result = self
            .join_default(&mut state)
            .and_then(|()| submit(self, &state))
            .and_then(|()| self.wait(&mut state));
        self.settle(&mut state, result)
    }

    /// Times single calls of `geam`.
    pub fn time_geam(
        &self,
        cublas: &Cublas,
        call: &GeamCall,
        options: &TimingOptions,
    ) -> Result<Timing> {
        let submit = self.geam_submitter(cublas, call)?;
        let mut state = self.enter()?;
        self.check_cublas(cublas)?;
        let result = self.sample(&mut state, options, submit)?;
        self.settle(&mut state, result)
    }

    /// Destroys the handle where its context still lives.
    pub fn close_cublas(&self, cublas: &Cublas) {
        let Ok(_state) = self.enter() else { return };
        if cublas.life != self.life() {
            return;
        }
        if let Ok(destroy) = symbol::<Destroy>(&cublas.library, c"cublasDestroy_v2") {
            // SAFETY: the handle's context is current, and only the drop of its owner comes here. A failure cannot be
            // answered in a drop.
            unsafe { destroy(cublas.handle) };
        }
    }

    pub(super) fn check_cublas(&self, cublas: &Cublas) -> Result<()> {
        if cublas.life == self.life() {
            return Ok(());
        }
        Err(Error::Usage(
            "cuBLAS's handle was lost to a kernel's fault; open it again".to_string(),
        ))
    }

    /// What queues the call on the device's stream.
    fn geam_submitter(
        &self,
        cublas: &Cublas,
        call: &GeamCall,
    ) -> Result<impl Fn(&Self, &State) -> Result<(), Failure> + use<>> {
        let (handle, call) = (cublas.handle, *call);
        let single = symbol::<GeamFunction<f32>>(&cublas.library, c"cublasSgeam")?;
        let double = symbol::<GeamFunction<f64>>(&cublas.library, c"cublasDgeam")?;
        Ok(move |_: &Self, _: &State| {
            // cuBLAS counts by columns: for it, `in` is columns × rows, and C = 1·Aᵀ + 0·B is rows × columns. With a
            // beta of 0 it does not read B; what it checks of B's size is right for C.
            //
            // SAFETY: both signatures are the cuBLAS manual's. The caller of `geam` checked that both buffers are alive,
            // hold a matrix of this shape and type and belong to this device; the device's lock is held and the handle's
            // context current. alpha and beta are read before the call returns, as the handle's pointer mode is the
            // host's.
            unsafe {
                match call.double {
                    false => geam(single, "cublasSgeam", handle, &call, 1.0, 0.0),
                    true => geam(double, "cublasDgeam", handle, &call, 1.0, 0.0),
                }
            }
        })
    }
}

/// One call of `geam`.
///
/// # Safety
/// The handle is alive and its context current; the call's addresses hold `rows × columns` elements of `T` each.
unsafe fn geam<T>(
    function: GeamFunction<T>,
    name: &'static str,
    handle: Handle,
    call: &GeamCall,
    alpha: T,
    beta: T,
) -> Result<(), Failure> {
    let &GeamCall {
        rows,
        columns,
        input,
        output,
        ..
    } = call;
    // Addresses of the device, which nothing here follows.
    let a = std::ptr::without_provenance::<T>(input as usize);
    let c = std::ptr::without_provenance_mut::<T>(output as usize);
    // SAFETY: the caller's promise.
    let code = unsafe {
        function(
            handle, TRANSPOSED, AS_IT_IS, rows, columns, &alpha, a, columns, &beta, c, rows, c,
            rows,
        )
    };
    status(name, code)
}

/// A status of cuBLAS as a failure of a call.
pub(super) fn status(call: &'static str, code: c_uint) -> Result<(), Failure> {
    check(call, if code == 0 { 0 } else { CUBLAS + code })
}

pub(super) fn symbol<T: Copy>(library: &Library, name: &std::ffi::CStr) -> Result<T> {
    // SAFETY: each caller names the type of the symbol as the cuBLAS manual gives it, and the library is never unloaded.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| Error::NoCublas(format!("the library lacks a call: {error}")))
}

/// A call of cuBLASLt, which is loaded where cuBLAS is.
pub(super) fn light_symbol<T: Copy>(name: &std::ffi::CStr) -> Result<T> {
    static LIGHT: OnceLock<Option<ManuallyDrop<Library>>> = OnceLock::new();
    let library = LIGHT.get_or_init(|| {
        // SAFETY: loading NVIDIA's libraries runs their initialisers only; this one is loaded already.
        let load = |name: &&str| unsafe { Library::new(*name) }.ok().map(ManuallyDrop::new);
        libraries::CUBLAS_BESIDE.iter().find_map(load)
    });
    match library {
        Some(library) => symbol(library, name),
        None => Err(Error::NoCublas(format!(
            "no {} beside it",
            libraries::CUBLAS_BESIDE.join(" or ")
        ))),
    }
}

/// Such as `cuBLAS 13.1.0`.
fn version(library: &Library) -> Result<String> {
    let get = symbol::<GetProperty>(library, c"cublasGetProperty")?;
    let number = |which: c_int| {
        let mut value = 0;
        // SAFETY: the signature is the cuBLAS manual's and `value` is writable. 0, 1, 2: major, minor, patch.
        let code = unsafe { get(which, &mut value) };
        if code == 0 { value } else { 0 }
    };
    Ok(format!("cuBLAS {}.{}.{}", number(0), number(1), number(2)))
}

fn load() -> Result<Library> {
    if let Some(path) = std::env::var_os("CORNERTURN_CUBLAS").filter(|path| !path.is_empty()) {
        return open(Path::new(&path))
            .map_err(|error| Error::NoCublas(format!("CORNERTURN_CUBLAS: {error}")));
    }
    let by_loader = libraries::CUBLAS.iter().map(PathBuf::from);
    let folders = folders();
    let in_folders = folders
        .iter()
        .flat_map(|folder| libraries::CUBLAS.iter().map(move |name| folder.join(name)))
        .filter(|path| path.is_file());
    by_loader
        .chain(in_folders)
        .find_map(|path| open(&path).ok())
        .ok_or_else(|| {
            Error::NoCublas(format!(
                "no {} here; `pip install nvidia-cublas` installs it, or name the file in CORNERTURN_CUBLAS",
                libraries::CUBLAS.join(" or ")
            ))
        })
}

fn open(path: &Path) -> std::result::Result<Library, String> {
    let load = |path: &Path| {
        // SAFETY: loading NVIDIA's libraries runs their initialisers only.
        unsafe { Library::new(path) }.map_err(|error| format!("{}: {error}", path.display()))
    };
    // The loader does not look beside the library for the one that it needs, but takes one that is loaded already.
    let folder = path.parent().filter(|folder| folder.is_dir());
    for beside in libraries::CUBLAS_BESIDE
        .iter()
        .filter_map(|name| Some(folder?.join(name)))
    {
        if beside.is_file() {
            std::mem::forget(load(&beside)?);
        }
    }
    load(path)
}

/// Where the toolkit and PyPI's packages keep it.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from("/usr/local/cuda/lib64")];
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].map(std::env::var_os);
    let mut prefixes: Vec<PathBuf> = environments
        .into_iter()
        .flatten()
        .map(PathBuf::from)
        .collect();
    // The environment of the `python3` that a shell would start.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bin = std::env::split_paths(&path).find(|folder| folder.join("python3").is_file());
    prefixes.extend(bin.as_deref().and_then(Path::parent).map(Path::to_path_buf));
    for prefix in prefixes {
        for python in subfolders(&prefix.join("lib"), "python3") {
            for packages in ["site-packages", "dist-packages"] {
                let nvidia = python.join(packages).join("nvidia");
                folders.extend(["cu13", "cublas"].map(|name| nvidia.join(name).join("lib")));
            }
        }
    }
    folders
}

/// The folders in a folder whose names start so; none where it cannot be read.
fn subfolders(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
        .map(|entry| entry.path())
        .collect()
}
