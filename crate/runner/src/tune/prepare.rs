//! Variants of the kernel, compiled and verified at small shapes. Timing them is `search`'s.

use crate::output;
use cornerturn::compile::Compiler;
use cornerturn::registry::{KernelEntry, Registry};
use cornerturn::tuning::Variant;
use cornerturn::{Counters, Device, Error, ErrorKind, Kernel, RegisteredTask, Shape, ptx};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Every variant is verified at these shapes before it is timed. In the first rows begin where a vector may and tiles
/// are cut off at both edges; in the second no row but the first does.
pub const SMALL: [Shape; 2] = [Shape::new(1040, 2064), Shape::new(257, 1031)];

/// What is searched, and where.
pub struct Wanted<'a> {
    /// The kernel's registry.
    pub registry: &'a Registry,
    /// The kernel for the element type.
    pub entry: &'a KernelEntry,
    /// The device.
    pub device: &'a Device,
    /// What to try, in this order.
    pub variants: Vec<Variant>,
    /// Set when someone wants it to end.
    pub interrupted: &'a AtomicBool,
}

/// One variant, as far as it came.
pub struct Candidate {
    /// What was chosen.
    pub variant: Variant,
    /// Its tile and block, as the registry would have them.
    pub entry: KernelEntry,
    /// Ready to launch, or why not.
    pub kernel: Result<Kernel, Refusal>,
    /// What it did to memory at the first small shape; only where the emulator is the device.
    pub counters: Option<Counters>,
}

/// Why a variant is not timed.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// In a sentence.
    pub reason: String,
    /// Whether the kernel did something wrong, rather than being too large for the device.
    pub is_wrong: bool,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self {
            is_wrong: error.kind() == ErrorKind::KernelWrong,
            reason: error.to_string(),
        }
    }
}

impl Wanted<'_> {
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Compiles all variants, on all cores. Those that an interrupt left out are missing at the end.
    ///
    /// # Errors
    /// Where there is no compiler, with the command that installs it; where the kernel's source cannot be read.
    pub fn compile(&self, compiler: &Compiler) -> anyhow::Result<Vec<Candidate>> {
        let source = self.registry.source(self.entry)?;
        let count = self.variants.len();
        let next = AtomicUsize::new(0);
        let compiled: Mutex<Vec<(usize, Candidate)>> = Mutex::new(Vec::with_capacity(count));
        let work = || {
            while !self.is_interrupted() {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(variant) = self.variants.get(index) else {
                    break;
                };
                let entry = variant.entry(self.entry);
                let candidate = Candidate {
                    kernel: self.compile_one(compiler, &source, variant, &entry),
                    variant: *variant,
                    entry,
                    counters: None,
                };
                let mut compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
                compiled.push((index, candidate));
                output::progress(&format!(
                    "  compiling: {} of {count} variants",
                    compiled.len()
                ));
            }
        };
        std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            for _ in 1..cores {
                // Where the system gives no thread, there are fewer.
                if std::thread::Builder::new()
                    .spawn_scoped(scope, work)
                    .is_err()
                {
                    break;
                }
            }
            work();
        });
        let mut compiled = compiled
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        compiled.sort_by_key(|(index, _)| *index);
        Ok(compiled
            .into_iter()
            .map(|(_, candidate)| candidate)
            .collect())
    }

    fn compile_one(
        &self,
        compiler: &Compiler,
        source: &str,
        variant: &Variant,
        entry: &KernelEntry,
    ) -> Result<Kernel, Refusal> {
        if let Some(reason) = variant.over_limits(entry.element) {
            return Err(Refusal {
                reason,
                is_wrong: false,
            });
        }
        // Messages of the compiler name the lines of the file.
        let source = format!("{}#line 1\n{source}", variant.defines(entry.element));
        let name = entry.file.file_name().unwrap_or_default().to_string_lossy();
        let compiled = compiler.compile(&source, &name, &entry.arch)?;
        let text = ptx::lower_version(&compiled.ptx, ptx::NEWEST_VERSION);
        Ok(Kernel::ptx(&text, &entry.entry)?)
    }

    /// Runs every variant at the small shapes, and refuses those that are wrong there or that the device cannot have.
    ///
    /// # Errors
    /// Where the device itself fails, or a kernel's fault took its memory.
    pub fn verify(&self, candidates: &mut [Candidate]) -> anyhow::Result<()> {
        let count = candidates.len();
        for shape in SMALL {
            let task = RegisteredTask::new(self.device, self.entry, shape, 1)?;
            for (index, candidate) in candidates.iter_mut().enumerate() {
                if self.is_interrupted() {
                    return Ok(());
                }
                output::progress(&format!(
                    "  verifying at {shape}: {} of {count} variants",
                    index + 1
                ));
                candidate.verify(&task)?;
                if shape == SMALL[0] && !self.device.is_cuda() {
                    candidate.count(&task)?;
                }
            }
        }
        Ok(())
    }
}

impl Candidate {
    /// Compares the result of one launch bit by bit, and refuses the variant where it differs or does not run.
    pub fn verify(&mut self, task: &RegisteredTask) -> cornerturn::Result<()> {
        let Ok(kernel) = &self.kernel else {
            return Ok(());
        };
        match task.verify(&self.entry, kernel) {
            Err(error) if is_of_the_device(&error) => Err(error),
            Err(error) => {
                self.kernel = Err(error.into());
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn count(&mut self, task: &RegisteredTask) -> cornerturn::Result<()> {
        if let Ok(kernel) = &self.kernel {
            self.counters = task.launch(&self.entry, kernel)?.counters;
        }
        Ok(())
    }
}

/// Whether an error ends the search, being no matter of one variant.
fn is_of_the_device(error: &Error) -> bool {
    matches!(
        error,
        Error::Memory { .. } | Error::NoCuda(_) | Error::Fault { .. } | Error::Shape { .. }
    )
}
