//! CUDA C++ to PTX: which compiler does it, NVIDIA's or our own, and for which architecture. How each compiles lives in the rooms below; what is compiled when is decided in `kernel`.

mod elsewhere;
mod files;
#[cfg(feature = "driver")]
mod nvrtc;
#[cfg(not(feature = "driver"))]
#[path = "compile/absent.rs"]
mod nvrtc;
mod own;

use cornerturn_base::error::{Error, Result};
use cornerturn_base::message::Message;
use cornerturn_base::ptx;
use cornerturn_compiler::Options;
pub use elsewhere::{Ask, ask_elsewhere};
pub use files::{SourceFile, file_arch};
pub use nvrtc::{IS_MADE, Nvrtc};
pub use own::translate;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

/// The architecture that cells compile for, the oldest that we serve.
pub const ARCH: &str = "compute_75";

/// Words of a source that an older architecture has not, and the oldest that has them, the newest first: the compiler does
/// not look into inline PTX, the driver refuses it for an older one, and CUDA's headers copy in the way of the architecture
/// that they are compiled for. Warpgroups' instructions are of `sm_90a` alone. A comment that names an architecture asks for
/// it. From the PTX ISA's notes on each instruction, and from the headers.
const NEWER: [(&str, &[&str]); 3] = [
    ("compute_90a", &["compute_90a", "wgmma", "setmaxnreg"]),
    (
        "compute_90",
        &[
            "compute_90",
            "cp.async.bulk",
            "cp.reduce.async",
            "__cluster",
            "this_cluster",
            "cluster_group",
            "barrier.cluster",
            "shared::cluster",
            "%cluster",
            "mapa.",
            "e4m3",
            "e5m2",
            "griddepcontrol",
            "cudaGridDependencySynchronize",
            "cudaTriggerProgrammaticLaunchCompletion",
            "elect.sync",
            "stmatrix",
            "fence.proxy.async",
            "fence.mbarrier_init",
            "mbarrier.try_wait",
            "expect_tx",
            "multimem.",
            "st.async",
            "red.async",
            "<cuda/ptx>",
            "memcpy_async_tx",
            "barrier_arrive_tx",
            "cp_async_bulk",
            ".global.add.v2.f32",
            ".global.add.v4.f32",
        ],
    ),
    (
        "compute_80",
        &[
            "compute_80",
            "cp.async",
            "memcpy_async",
            "<cuda_pipeline.h>",
            "<cuda/pipeline>",
            "<cuda/barrier>",
            "mbarrier.",
            "bfloat16",
            "bf16",
            "tf32",
            "m16n8k16",
            "m16n8k32",
            "m8n8k4.row.col.f64",
            "8, 8, 4, double",
            "redux.sync",
            "__reduce_",
            "createpolicy",
            "L2::cache_hint",
            "discard.global",
            "applypriority",
            "hfma_relu",
            "hfma2_relu",
            ".relu.",
        ],
    ),
];

/// The environment variable that chooses.
const CHOICE: &str = "CORNERTURN_COMPILER";

/// What a program's command line chose: a [`CompilerKind`] and one more, 0 where it chose nothing.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// A compiler of CUDA C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilerKind {
    /// NVIDIA's NVRTC, which has all of CUDA C++.
    Nvrtc,
    /// Our own, package `cornerturn-compiler`: the part of CUDA C++ that kernels are written in, on any machine.
    CornerTurn,
}

impl FromStr for CompilerKind {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "nvrtc" => Ok(Self::Nvrtc),
            "cornerturn" => Ok(Self::CornerTurn),
            other => Err(format!(
                "`{other}` is no compiler: it is `nvrtc` or `cornerturn`"
            )),
        }
    }
}

/// Which compiler it is, and why that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerInfo {
    /// NVIDIA's or our own.
    pub kind: CompilerKind,
    /// Its version, such as `13.0`.
    pub version: String,
    /// Why our own stands in for NVIDIA's; empty where it does not.
    pub why: &'static str,
}

impl fmt::Display for CompilerInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            CompilerKind::Nvrtc => write!(f, "NVRTC {}", self.version),
            CompilerKind::CornerTurn if self.why.is_empty() => {
                f.write_str("Corner Turn's own compiler")
            }
            CompilerKind::CornerTurn => write!(f, "Corner Turn's own compiler ({})", self.why),
        }
    }
}

/// What a compilation gives.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The PTX as the compiler wrote it, but for the folders of file names.
    pub ptx: String,
    /// Warnings; empty where there are none.
    pub log: String,
    /// The same as data, as far as it can be read.
    pub messages: Vec<Message>,
    /// What compiled it.
    pub compiler: CompilerInfo,
}

/// A compiler, ready.
#[derive(Debug)]
pub enum Compiler {
    /// NVIDIA's, loaded.
    Nvrtc(Nvrtc),
    /// Our own.
    CornerTurn {
        /// Why it stands in for NVIDIA's; empty where it was asked for.
        why: &'static str,
    },
}

impl Compiler {
    /// The compiler that was chosen, by [`choose`] or by `CORNERTURN_COMPILER=nvrtc` or `=cornerturn`; else NVRTC where it
    /// is found, and our own where it is not.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs it, where NVRTC was chosen and is not there;
    /// [`Error::Usage`] for another value of the variable.
    pub fn open() -> Result<Self> {
        match chosen()? {
            Some(kind) => Self::of(kind),
            None => Ok(Nvrtc::open().map_or(
                Self::CornerTurn {
                    why: "NVRTC is not installed",
                },
                Self::Nvrtc,
            )),
        }
    }

    /// This one, whatever was chosen.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs it, for NVRTC where it is not there.
    pub fn of(kind: CompilerKind) -> Result<Self> {
        match kind {
            CompilerKind::Nvrtc => Nvrtc::open().map(Self::Nvrtc),
            CompilerKind::CornerTurn => Ok(Self::CornerTurn { why: "" }),
        }
    }

    /// Which it is.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] where the library that was loaded is not NVRTC.
    pub fn info(&self) -> Result<CompilerInfo> {
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.info(),
            Self::CornerTurn { why } => Ok(own::info(why)),
        }
    }

    /// Compiles CUDA C++ to PTX with line information. `name` is the file's name in messages and in the PTX; `arch` the
    /// virtual architecture, such as `compute_75`. The source reads no file but headers that come with the compiler.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log where it refuses the source; [`Error::CompilerGap`] where our own does
    /// not know what the source uses; [`Error::Usage`] for a NUL in it.
    pub fn compile(&self, source: &str, name: &str, arch: &str) -> Result<Compiled> {
        self.compile_with(source, name, arch, &[])
    }

    /// The same with macros that are defined before the first line, each with its value.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn compile_with(
        &self,
        source: &str,
        name: &str,
        arch: &str,
        defines: &[(String, String)],
    ) -> Result<Compiled> {
        let options = Options {
            arch: arch.to_string(),
            defines: defines.to_vec(),
            entry: None,
        };
        self.compile_by(source, name, &options)
    }

    fn compile_by(&self, source: &str, name: &str, options: &Options) -> Result<Compiled> {
        check_source(source)?;
        match self {
            Self::Nvrtc(nvrtc) => nvrtc.compile_with(source, name, &options.arch, &options.defines),
            Self::CornerTurn { why } => own::compile(source, name, options, why),
        }
    }

    /// The same for the oldest architecture that has what the source uses, and for any driver from CUDA 12.1 on.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn compile_live(&self, source: &str, name: &str) -> Result<Compiled> {
        self.compile_entry(source, name, None)
    }

    /// The same where one entry is wanted, if one is named: our own compiler leaves the others out.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn compile_entry(&self, source: &str, name: &str, entry: Option<&str>) -> Result<Compiled> {
        let options = Options {
            arch: arch_of(source).to_string(),
            defines: Vec::new(),
            entry: entry.map(str::to_string),
        };
        let mut compiled = self.compile_by(source, name, &options)?;
        compiled.ptx = ptx::for_drivers(&compiled.ptx);
        Ok(compiled)
    }
}

/// No compiler takes a text with a NUL in it.
fn check_source(source: &str) -> Result<()> {
    match source.find('\0') {
        Some(at) => Err(Error::Usage(format!(
            "the CUDA C++ holds a NUL character at byte {at}; remove it"
        ))),
        None => Ok(()),
    }
}

/// Chooses for all that this process compiles from now on, before the environment does: what a program's command line says.
pub fn choose(kind: CompilerKind) {
    CHOSEN.store(kind as u8 + 1, Ordering::Relaxed);
}

/// Whether [`choose`] was called.
pub fn is_chosen() -> bool {
    CHOSEN.load(Ordering::Relaxed) > 0
}

/// What was chosen, if anything was.
fn chosen() -> Result<Option<CompilerKind>> {
    match CHOSEN.load(Ordering::Relaxed) {
        0 => {}
        n if n == CompilerKind::Nvrtc as u8 + 1 => return Ok(Some(CompilerKind::Nvrtc)),
        _ => return Ok(Some(CompilerKind::CornerTurn)),
    }
    match std::env::var(CHOICE) {
        Ok(text) if !text.is_empty() => {
            let kind = text.parse();
            kind.map(Some)
                .map_err(|error: String| Error::Usage(format!("{CHOICE}: {error}")))
        }
        _ => Ok(None),
    }
}

/// The compiler of this machine, or the one that was chosen.
///
/// # Errors
/// As [`Compiler::open`].
pub fn compiler() -> Result<CompilerInfo> {
    Compiler::open()?.info()
}

/// How to get NVIDIA's compiler, as the end of a sentence.
pub(crate) fn how_to_get_nvrtc() -> String {
    nvrtc::how_to_get()
}

/// The oldest architecture that has what stands in a source, but none older than [`ARCH`].
pub fn arch_of(source: &str) -> &'static str {
    let has = |arch: &str, words: &[&str]| {
        words.iter().any(|word| source.contains(word))
            || arch == "compute_90" && adds_vectors(source)
    };
    let newer = NEWER.iter().find(|(arch, words)| has(arch, words));
    newer.map_or(ARCH, |(arch, _)| arch)
}

/// Whether `atomicAdd` of a source takes a `float2` or `float4`, as far as that shows where it is called.
fn adds_vectors(source: &str) -> bool {
    source.split("atomicAdd(").skip(1).any(|rest| {
        let call = rest.split(';').next().unwrap_or_default();
        let is_one = |size: &str| {
            call.contains(&format!("make_float{size}("))
                || call.starts_with(&format!("(float{size}"))
                || call.starts_with(&format!("reinterpret_cast<float{size}"))
        };
        is_one("2") || is_one("4")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "extern \"C\" __global__ void k(float* out) { out[threadIdx.x] = 1; }";

    #[test]
    fn our_own_compiles_anywhere_and_says_so() {
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        let compiled = compiler.compile_live(SOURCE, "k.cu").unwrap();
        assert_eq!(ptx::entries(&compiled.ptx), ["k"]);
        assert_eq!(compiled.compiler.kind, CompilerKind::CornerTurn);
        assert!(ptx::version(&compiled.ptx).unwrap() <= (6, 3));
        let instead = Compiler::CornerTurn {
            why: "NVRTC is not installed",
        };
        assert_eq!(
            instead.info().unwrap().to_string(),
            "Corner Turn's own compiler (NVRTC is not installed)"
        );
    }

    #[test]
    fn a_mistake_is_the_sources_and_a_gap_is_ours() {
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        let mistake = compiler.compile_live(&SOURCE.replace("threadIdx", "threadidx"), "k.cu");
        let mistake = mistake.unwrap_err();
        assert!(matches!(mistake, Error::Compile { .. }), "{mistake}");
        assert!(mistake.to_string().contains("did you mean `threadIdx`?"));
        let gap = format!("#include <cuda/semaphore>\n{SOURCE}");
        let gap = compiler.compile_live(&gap, "k.cu").unwrap_err();
        assert_eq!(gap.exit_code(), 3, "{gap}");
        assert!(gap.to_string().contains("cuda/semaphore"), "{gap}");
        assert!(gap.to_string().contains(&nvrtc::how_to_get()), "{gap}");
        let nul = compiler.compile_live("a\0b", "k.cu").unwrap_err();
        assert!(nul.to_string().contains("NUL"), "{nul}");
    }

    #[test]
    fn the_architecture_follows_from_what_is_used() {
        assert_eq!(arch_of(SOURCE), ARCH);
        assert_eq!(arch_of("__nv_bfloat16 x;"), "compute_80");
        assert_eq!(arch_of("wgmma; cp.async"), "compute_90a");
        assert_eq!(arch_of("cg::this_cluster().sync();"), "compute_90");
        assert_eq!(arch_of("#include <cuda_pipeline.h>"), "compute_80");
        assert_eq!(arch_of("__reduce_max_sync(all, x)"), "compute_80");
        assert_eq!(arch_of("// for compute_90\n"), "compute_90");
        assert_eq!(
            arch_of("atomicAdd(&p[i], make_float2(x, y));"),
            "compute_90"
        );
        assert_eq!(arch_of("atomicAdd((float4*)p, v);"), "compute_90");
        assert_eq!(arch_of("float4 v = p[i]; atomicAdd(q, v.x);"), ARCH);
    }

    #[test]
    fn a_choice_has_two_names() {
        assert_eq!("nvrtc".parse(), Ok(CompilerKind::Nvrtc));
        assert_eq!("cornerturn".parse(), Ok(CompilerKind::CornerTurn));
        assert!("nvcc".parse::<CompilerKind>().is_err());
    }
}
