//! NVRTC, NVIDIA's compiler of CUDA C++, loaded at run time from where the project's own command installs it. When it is asked is decided in the room above.

mod includes;
mod log;

use super::{Compiled, CompilerInfo, CompilerKind, SourceFile};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::libraries;
use cornerturn_base::message::messages;
use cornerturn_base::paths;
use cornerturn_base::ptx;
use cornerturn_compiler::Options;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};

/// The compiler's options besides the architecture.
const OPTIONS: [&str; 2] = ["-lineinfo", "--std=c++17"];

/// The folder of a source with headers, which holds no file on any system that has this compiler.
const NOWHERE: &str = "/dev/null/";

/// Where the wheels of NVIDIA's headers keep them.
const HEADERS: &str = "nvidia/cu13/include";

/// Where, among them, those of the C++ libraries are: `cuda/std`, `cub`.
const LIBRARIES: &str = "cccl";

/// Whether NVIDIA makes the compiler for this operating system.
pub const IS_MADE: bool = libraries::HAS_NVRTC;

/// How to get it.
pub(super) fn how_to_get() -> String {
    match IS_MADE {
        true => format!(
            "run `{}`, which puts it under target/cuda",
            paths::command("kernels --install-compiler")
        ),
        false => "NVIDIA makes it for Linux and Windows only".to_string(),
    }
}

type Program = *mut std::ffi::c_void;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type AddName = unsafe extern "C" fn(Program, *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;

/// `NVRTC_ERROR_COMPILATION`.
const COMPILATION_ERROR: c_int = 6;

/// NVRTC, loaded.
pub struct Nvrtc {
    /// Never unloaded: the compiler keeps threads and state of its own.
    library: std::mem::ManuallyDrop<Library>,
    path: PathBuf,
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Nvrtc({})", self.path.display())
    }
}

impl Nvrtc {
    /// Finds and loads it: `CORNERTURN_NVRTC` (the library's path), `target/cuda`, then the system's own.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs it.
    pub fn open() -> Result<Self> {
        if let Some(path) = std::env::var_os("CORNERTURN_NVRTC").filter(|path| !path.is_empty()) {
            return Self::load(Path::new(&path))
                .map_err(|error| no_compiler(&format!("CORNERTURN_NVRTC: {error}")));
        }
        let installed = paths::compiler().ok().and_then(|folder| find(&folder, 8));
        if let Some(path) = installed {
            return Self::load(&path).map_err(|error| no_compiler(&error));
        }
        libraries::NVRTC
            .iter()
            .find_map(|name| Self::load(Path::new(name)).ok())
            .ok_or_else(|| no_compiler("NVIDIA's compiler NVRTC is not installed"))
    }

    fn load(path: &Path) -> std::result::Result<Self, String> {
        let open = |path: &Path| {
            // SAFETY: loading the compiler's libraries runs their initialisers only.
            unsafe { Library::new(path) }.map_err(|error| format!("{}: {error}", path.display()))
        };
        // The compiler opens its built-in functions by name, which finds them only where they are loaded already.
        if let Some(builtins) = path
            .parent()
            .and_then(|folder| find_named(folder, libraries::NVRTC_BUILTINS_START))
        {
            std::mem::forget(open(&builtins)?);
        }
        let library = std::mem::ManuallyDrop::new(open(path)?);
        Ok(Self {
            library,
            path: path.to_path_buf(),
        })
    }

    /// Where it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its major and minor version, such as `13.0`.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] where the library is not NVRTC.
    pub fn version(&self) -> Result<(i32, i32)> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the signature is the NVRTC manual's and both are writable.
        let code = unsafe { self.symbol::<Version>(c"nvrtcVersion")?(&mut major, &mut minor) };
        self.check(code)?;
        Ok((major, minor))
    }

    /// Compiles CUDA C++ to PTX with line information. `name` is the file's name in the compiler's messages and the
    /// PTX; `arch` the virtual architecture, such as `compute_75`. The source reads no file but headers that come with
    /// the compiler.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log where it refuses the source, or with the line that includes another
    /// file; [`Error::Usage`] for a NUL in it.
    pub fn compile(&self, source: &str, name: &str, arch: &str) -> Result<Compiled> {
        self.compile_with(source, name, arch, &[])
    }

    /// The same with macros that are defined before the first line, each with its value.
    ///
    /// # Errors
    /// As [`Nvrtc::compile`].
    pub fn compile_with(
        &self,
        source: &str,
        name: &str,
        arch: &str,
        defines: &[(String, String)],
    ) -> Result<Compiled> {
        self.compile_named(source, name, arch, defines, &[name.to_string()], &[])
    }

    /// The same for a user's file, which may include others and have code of the host.
    pub(super) fn compile_file(
        &self,
        source: &str,
        file: &SourceFile,
        options: &Options,
    ) -> Result<Compiled> {
        let name = file.name();
        let folders = self.include_folders();
        let has_header = |name: &str| folders.iter().any(|folder| folder.join(name).is_file());
        let flat = cornerturn_compiler::flat(source, &name, options, file, &has_header).map_err(
            |refused| Error::Compile {
                log: refused.to_string().trim_end().to_string(),
                messages: messages(&refused.list, source),
            },
        )?;
        let (arch, defines) = (&options.arch, &options.defines);
        let Some(flat) = flat else {
            return self.compile_with(source, &name, arch, defines);
        };
        self.compile_named(
            &flat.text,
            &name,
            arch,
            defines,
            &flat.names,
            &flat.instances,
        )
        .map_err(|error| with_left_out(error, &flat.left_out))
    }

    /// Compiles a text in which files of these names stand, with these instances of its templates.
    fn compile_named(
        &self,
        source: &str,
        name: &str,
        arch: &str,
        defines: &[(String, String)],
        names: &[String],
        instances: &[String],
    ) -> Result<Compiled> {
        let folders = self.include_folders();
        let includes =
            includes::check(source, name, &folders).map_err(|log| refused(log, names))?;
        let mut options = vec![format!("--gpu-architecture={arch}")];
        options.extend(OPTIONS.map(str::to_string));
        let macros = defines.iter();
        options.extend(macros.map(|(name, value)| format!("--define-macro={name}={value}")));
        let mut path = String::new();
        if includes && !folders.is_empty() {
            let paths = folders.iter();
            options.extend(paths.map(|folder| format!("--include-path={}", folder.display())));
            // A header is looked for beside the source first, so the source stands where nothing is.
            path.push_str(NOWHERE);
        }
        path.push_str(name);
        let options: Vec<CString> = options
            .iter()
            .map(|text| c_string(text))
            .collect::<Result<_>>()?;
        let program = self.create(&c_string(source)?, &c_string(&path)?)?;
        for instance in instances {
            let instance = c_string(instance)?;
            // SAFETY: the program is alive and the text NUL-terminated; NVRTC copies it.
            let code = unsafe {
                self.symbol::<AddName>(c"nvrtcAddNameExpression")?(
                    program.handle,
                    instance.as_ptr(),
                )
            };
            self.check(code)?;
        }
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive; `pointers` holds as many NUL-terminated texts as the count says.
        let code = unsafe {
            self.symbol::<Compile>(c"nvrtcCompileProgram")?(
                program.handle,
                pointers.len() as c_int,
                pointers.as_ptr(),
            )
        };
        let log = program.text(c"nvrtcGetProgramLogSize", c"nvrtcGetProgramLog")?;
        let log = log.replace(NOWHERE, "");
        if code == COMPILATION_ERROR {
            return Err(refused(log.trim_end().to_string(), names));
        }
        self.check(code)?;
        let ptx = program.text(c"nvrtcGetPTXSize", c"nvrtcGetPTX")?;
        Ok(Compiled {
            ptx: ptx::plain_file_names(&ptx, names),
            messages: log::read(&log, names),
            log: log.trim().to_string(),
            compiler: self.info()?,
        })
    }

    /// Which it is.
    ///
    /// # Errors
    /// As [`Nvrtc::version`].
    pub fn info(&self) -> Result<CompilerInfo> {
        let (major, minor) = self.version()?;
        Ok(CompilerInfo {
            kind: CompilerKind::Nvrtc,
            version: format!("{major}.{minor}"),
            why: "",
        })
    }

    /// Where NVIDIA's headers are: those of CUDA, and below them those of its C++ libraries.
    fn include_folders(&self) -> Vec<PathBuf> {
        let Some(folder) = self.include_folder() else {
            return Vec::new();
        };
        let libraries = folder.join(LIBRARIES);
        let libraries = Some(libraries).filter(|folder| folder.is_dir());
        [folder].into_iter().chain(libraries).collect()
    }

    /// NVIDIA's headers: those that the project installed, else what lies beside the library's folder.
    fn include_folder(&self) -> Option<PathBuf> {
        let installed = paths::headers().ok().map(|folder| folder.join(HEADERS));
        let beside = || Some(self.path.parent()?.parent()?.join("include"));
        installed
            .filter(|folder| folder.is_dir())
            .or_else(beside)
            .filter(|folder| folder.is_dir())
    }

    fn create(&self, source: &CStr, name: &CStr) -> Result<LiveProgram<'_>> {
        let mut handle = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: `handle` is writable, the texts NUL-terminated, and there are no headers.
        let code = unsafe {
            self.symbol::<Create>(c"nvrtcCreateProgram")?(
                &mut handle,
                source.as_ptr(),
                name.as_ptr(),
                0,
                none,
                none,
            )
        };
        self.check(code)?;
        Ok(LiveProgram {
            compiler: self,
            handle,
        })
    }

    fn symbol<F: Copy>(&self, name: &CStr) -> Result<F> {
        // SAFETY: each caller gives the signature of the NVRTC manual; the library is never unloaded, so the pointer
        // may be copied out.
        let symbol = unsafe { self.library.get::<F>(name.to_bytes_with_nul()) };
        symbol.map(|symbol| *symbol).map_err(|_| {
            let (path, name) = (self.path.display(), name.to_string_lossy());
            no_compiler(&format!("{path} is not NVRTC: it has no {name}"))
        })
    }

    fn check(&self, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let words = self.symbol::<ErrorString>(c"nvrtcGetErrorString")?;
        // SAFETY: NVRTC answers with a static NUL-terminated text for every code.
        let text = unsafe { CStr::from_ptr(words(code)) }
            .to_string_lossy()
            .into_owned();
        Err(no_compiler(&format!(
            "{} failed: {text}",
            self.path.display()
        )))
    }
}

/// A program of the compiler, destroyed with it.
struct LiveProgram<'a> {
    compiler: &'a Nvrtc,
    handle: Program,
}

impl LiveProgram<'_> {
    fn text(&self, size: &CStr, text: &CStr) -> Result<String> {
        let mut bytes = 0;
        let size = self.compiler.symbol::<Size>(size)?;
        // SAFETY: the program is alive and `bytes` writable.
        let code = unsafe { size(self.handle, &mut bytes) };
        self.compiler.check(code)?;
        let mut buffer = vec![0_u8; bytes.max(1)];
        let text = self.compiler.symbol::<Text>(text)?;
        // SAFETY: the buffer has the size that the compiler asked for.
        let code = unsafe { text(self.handle, buffer.as_mut_ptr().cast()) };
        self.compiler.check(code)?;
        let end = buffer.iter().position(|&byte| byte == 0);
        Ok(String::from_utf8_lossy(&buffer[..end.unwrap_or(buffer.len())]).into_owned())
    }
}

impl Drop for LiveProgram<'_> {
    fn drop(&mut self) {
        if let Ok(destroy) = self.compiler.symbol::<Destroy>(c"nvrtcDestroyProgram") {
            // SAFETY: created by this compiler and destroyed once.
            unsafe { destroy(&mut self.handle) };
        }
    }
}

/// The source does not compile, by this log.
fn refused(log: String, names: &[String]) -> Error {
    let messages = log::read(&log, names);
    Error::Compile { log, messages }
}

/// An error that names a function which was left out says so.
fn with_left_out(error: Error, left_out: &[String]) -> Error {
    let Error::Compile { mut log, messages } = error else {
        return error;
    };
    let is_missed = |name: &&String| log.contains(&format!("identifier \"{name}\" is undefined"));
    if let Some(name) = left_out.iter().find(is_missed) {
        log.push_str(&format!(
            "\n`{name}` is a function of the host here; if the kernel calls it, put `__device__` before it"
        ));
    }
    Error::Compile { log, messages }
}

fn no_compiler(reason: &str) -> Error {
    Error::NoCompiler(format!("{reason}; {}", how_to_get()))
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        Error::Usage(format!(
            "the CUDA C++ holds a NUL character at byte {}; remove it",
            error.nul_position()
        ))
    })
}

/// The newest compiler below a folder.
fn find(folder: &Path, depth: usize) -> Option<PathBuf> {
    if let Some(found) = find_named(folder, libraries::NVRTC_START) {
        return Some(found);
    }
    let mut folders: Vec<PathBuf> = entries(folder).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
        .iter()
        .rev()
        .filter(|_| depth > 0)
        .find_map(|folder| find(folder, depth - 1))
}

/// The file of a folder whose name starts so; the last by name where there are several, which is the newest.
fn find_named(folder: &Path, start: &str) -> Option<PathBuf> {
    let named = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(start))
            && path.is_file()
    };
    entries(folder).filter(named).max()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_is_found_below_its_folder() {
        let folder = std::env::temp_dir().join(format!("cornerturn-find-{}", std::process::id()));
        let lib = folder.join("nvidia").join("cu13").join("lib");
        std::fs::create_dir_all(&lib).unwrap();
        assert_eq!(find(&folder, 8), None);
        std::fs::write(lib.join("libnvrtc-builtins.so.13.0"), "").unwrap();
        std::fs::write(lib.join("libnvrtc.so.13"), "").unwrap();
        assert_eq!(find(&folder, 8), Some(lib.join("libnvrtc.so.13")));
        assert_eq!(find(&folder, 1), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_library_that_is_not_there_names_the_command() {
        let error = Nvrtc::load(Path::new("/no/such/libnvrtc.so.13")).unwrap_err();
        let error = no_compiler(&error);
        assert_eq!(error.exit_code(), 4);
        assert!(error.to_string().contains("--install-compiler"), "{error}");
    }
}
