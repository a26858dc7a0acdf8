//! Compiles CUDA C++ kernels to PTX. No files, no threads, no clock: source text in, PTX text or messages out. What a source
//! includes is asked of who compiles ([`Files`]).
//!
//! ```
//! use cornerturn_compiler::{Options, compile};
//!
//! let source = "extern \"C\" __global__ void twice(const float* __restrict__ x, float* __restrict__ y, unsigned items)
//! {
//!     const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < items)
//!         y[i] = 2 * x[i];
//! }";
//! let compiled = compile(source, "twice.cu", &Options::default())?;
//! assert!(compiled.ptx.contains("ld.global.nc.f32"));
//!
//! let mistake = compile(&source.replace("threadIdx", "threadidx"), "twice.cu", &Options::default());
//! assert!(mistake.unwrap_err().to_string().contains("did you mean `threadIdx`?"));
//! # Ok::<(), cornerturn_compiler::Diagnostics>(())
//! ```
//!
//! # The way of a source
//!
//! ```text
//! lex, numbers   characters to tokens
//! preprocess     directives and macros; `headers` has those that are built in
//! namespaces     all names become names of the whole source
//! instances      templates of the host that launch kernels, as they are called
//! parse          tokens to the tree of `syntax`
//! lower          names, types, templates and overloads resolved; every call inlined, loops of known length unrolled;
//!                instructions of `ir` come out, with all local objects in memory
//! snapshot       a kernel between two passes, as text and verified, for who looks on
//! optimise       local objects become values, what is computed twice or for nothing goes, addresses get their space
//! emit           PTX text
//! compile        a source through all of these
//!
//! stages         besides: a source as its tokens or its tree, for who looks into it
//! inspect        the passes, and each alone on a kernel that is text
//! flat           the same source for NVIDIA's compiler, in one text without what is the host's
//! ```
//!
//! Each takes only from those above it, and from what they share: `source` (places), `diagnostics` (messages), `limits`,
//! `hash`, `nearest`, and the words in which they speak to each other, `syntax`, `types` and `ir`.
//! Constants are folded while instructions are built (`ir::fold`), so that whatever must be known while compiling, such
//! as an array's size or the argument of a template, is simply an expression that folds to a constant, or whose
//! instructions give one when they are run (`lower::evaluate`). Functions that call themselves are not inlined but become
//! functions of the module (`lower::recursive`).

mod compile;
mod diagnostics;
mod emit;
pub mod exchange;
mod files;
mod flat;
mod hash;
mod headers;
mod inspect;
mod instances;
mod ir;
mod lex;
pub mod limits;
mod lower;
mod namespaces;
mod nearest;
mod numbers;
mod optimise;
mod parse;
mod preprocess;
mod snapshot;
mod source;
mod stages;
mod syntax;
mod target;
mod types;

pub use compile::{Compiled, Diagnostics, Options, compile, compile_watched, compile_with};
pub use diagnostics::{Diagnostic, Severity};
pub use emit::lowest_version;
pub use files::{File, Files, Found, NoFiles};
pub use flat::{Flat, flat};
pub use inspect::{Intrinsic, Ir, IrError, Pass, intrinsics, pass, pass_order, passes};
pub use nearest::nearest;
pub use snapshot::{Inspect, LOWERED, Snapshot};
pub use source::{Lines, Span};
pub use stages::{Stage, stage};
