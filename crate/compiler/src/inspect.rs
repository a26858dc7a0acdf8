//! The compiler's passes for who looks into it: what they are, their order, and each run alone on a kernel that is text. What a
//! kernel looks like stands in `snapshot`.

use crate::ir::build::Builder;
use crate::ir::intrinsics::{Kind, TABLE};
use crate::nearest::nearest;
use crate::optimise::{self, Keeps, order, passes as table};
use crate::snapshot::{Read, text};

/// A pass of the optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// By which it is asked for.
    pub name: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    /// The passes that run before it: without them it is right, but finds less.
    pub needs: &'static [&'static str],
    /// Whether blocks, and how control goes from one to another, are the same after it.
    pub keeps_graph: bool,
}

impl From<&optimise::Pass> for Pass {
    fn from(pass: &optimise::Pass) -> Self {
        Self {
            name: pass.name,
            does: pass.does,
            needs: pass.needs,
            keeps_graph: pass.keeps == Keeps::Graph,
        }
    }
}

/// All passes of the optimiser, by what they are about.
pub fn passes() -> Vec<Pass> {
    table().iter().map(|pass| Pass::from(*pass)).collect()
}

/// The pass of a name.
///
/// # Errors
/// [`IrError::NoPass`] where there is none.
pub fn pass(name: &str) -> Result<Pass, IrError> {
    found(name).map(Pass::from)
}

fn found(name: &str) -> Result<&'static optimise::Pass, IrError> {
    let found = table().iter().find(|known| known.name == name);
    found.copied().ok_or_else(|| {
        let names = table().iter().map(|known| known.name);
        let meant = nearest(name, names).map(|meant| format!(": did you mean `{meant}`?"));
        IrError::NoPass(name.to_string(), meant.unwrap_or_default())
    })
}

/// Their names in the order in which they run, as often as they do. Some run only where others changed something, and those
/// that make registers of local objects run over and over.
pub fn pass_order() -> Vec<&'static str> {
    order()
}

/// A row of the compiler's table of intrinsics: a function of CUDA's that is a piece of PTX, a special register, or what several
/// functions become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intrinsic {
    /// In CUDA C++, for a function; else as the IR's text has it.
    pub name: &'static str,
    /// Of a function: a letter for its result and one for each argument: `v` nothing, `i` `int`, `u` `unsigned`, `l` `long long`, `L`
    /// `unsigned long long`, `f` `float`, `d` `double`, `p` a pointer.
    pub types: &'static str,
    /// With `%0`, `%1` … for operands, results first, and `$0`, `$1` … for what an instruction says besides.
    pub ptx: &'static str,
    /// Whether CUDA C++ has a function of this name.
    pub is_function: bool,
}

/// The table of intrinsics.
pub fn intrinsics() -> Vec<Intrinsic> {
    let rows = TABLE.iter().map(|row| Intrinsic {
        name: row.name,
        types: row.types,
        ptx: row.ptx,
        is_function: row.kind == Kind::Function,
    });
    rows.collect()
}

/// A kernel in the compiler's intermediate representation, read from its text.
///
/// ```
/// use cornerturn_compiler::Ir;
///
/// let mut ir = Ir::parse("kernel \"twice\" registers 128
/// param 8 align 8 b64 pointer
/// block0:
///   %0:b64 = param #0
///   %1:f32 = load.global.f32 %0
///   %2:f32 = load.global.f32 %0
///   %3:f32 = add %1, %2
///   store.global.f32 %0, %3
///   return
/// ")?;
/// ir.run("gvn")?;
/// assert!(ir.text().contains("%3:f32 = add %1, %1"));
/// # Ok::<(), cornerturn_compiler::IrError>(())
/// ```
#[derive(Debug)]
pub struct Ir(Read);

/// Why a text is no kernel, or a pass does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IrError {
    /// A line cannot be read. Lines count from 1.
    #[error("line {line}: {message}")]
    Syntax {
        /// Which line.
        line: usize,
        /// Why.
        message: String,
    },
    /// What can be read is not well formed.
    #[error("{}", .0.join("\n"))]
    Malformed(Vec<String>),
    /// There is no such pass; what may be meant is told behind its name.
    #[error("there is no pass `{0}`{1}")]
    NoPass(String, String),
}

impl Ir {
    /// Reads a kernel.
    ///
    /// # Errors
    /// Where a line cannot be read, and where the kernel is not well formed.
    pub fn parse(text: &str) -> Result<Self, IrError> {
        let read = text::read(text);
        let kernel = read.map_err(|(line, message)| IrError::Syntax { line, message })?;
        well_formed(kernel.snapshot().problems())?;
        Ok(Self(kernel))
    }

    /// The kernel as text, which [`Ir::parse`] reads.
    pub fn text(&self) -> String {
        self.0.snapshot().text()
    }

    /// Runs one pass, which others have told nothing.
    ///
    /// # Errors
    /// Where there is no pass of this name, and where the kernel is not well formed behind it.
    pub fn run(&mut self, pass: &str) -> Result<(), IrError> {
        let found = found(pass)?;
        let mut builder = Builder::new();
        std::mem::swap(&mut builder.body, &mut self.0.body);
        optimise::run_one(found, &mut builder, self.0.facts());
        self.0.body = builder.body;
        well_formed(self.0.snapshot().problems())
    }
}

fn well_formed(problems: Vec<String>) -> Result<(), IrError> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(IrError::Malformed(problems)),
    }
}
