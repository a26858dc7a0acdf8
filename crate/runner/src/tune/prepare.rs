//! Variants of the kernel, compiled and verified at small shapes. Timing them is `search`'s.

use super::subject::Tuned;
use crate::output;
use cornerturn::compile::Compiler;
use cornerturn::registry::Registry;
use cornerturn::{Counters, Device, Error, ErrorKind, Kernel, ptx};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is searched, and where.
pub struct Wanted<'a, S: Tuned> {
    /// The kernel's registry.
    pub registry: &'a Registry,
    /// What to search for, one after the other; they differ in their shapes alone.
    pub subjects: Vec<S>,
    /// The registered kernel.
    pub entry: S::Entry,
    /// The device.
    pub device: &'a Device,
    /// What to try, in this order.
    pub variants: Vec<S::Variant>,
    /// Set when someone wants it to end.
    pub interrupted: &'a AtomicBool,
}

/// One variant, as far as it came.
pub struct Candidate<S: Tuned> {
    /// What was chosen.
    pub variant: S::Variant,
    /// Its tile and block, as the registry would have them.
    pub entry: S::Entry,
    /// Ready to launch, or why not.
    pub kernel: Result<Kernel, Refusal>,
    /// What it did to memory at the first small shape; only where the emulator is the device.
    pub counters: Option<Counters>,
    /// Registers and bytes of local memory of a thread; only on a GPU.
    pub resources: Option<(u32, u32)>,
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

impl<S: Tuned> Wanted<'_, S> {
    /// The first that is searched for, in the place of all where they do not differ.
    pub fn subject(&self) -> S {
        self.subjects[0]
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Compiles all variants, on all cores. Those that an interrupt left out are missing at the end.
    ///
    /// # Errors
    /// Where there is no compiler, with the command that installs it; where the kernel's source cannot be read.
    pub fn compile(&self, compiler: &Compiler) -> anyhow::Result<Vec<Candidate<S>>> {
        let source = self.registry.source(S::code(&self.entry))?;
        let count = self.variants.len();
        let next = AtomicUsize::new(0);
        let compiled: Mutex<Vec<(usize, Candidate<S>)>> = Mutex::new(Vec::with_capacity(count));
        let work = || {
            while !self.is_interrupted() {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(variant) = self.variants.get(index) else {
                    break;
                };
                let entry = self.subject().varied(variant, &self.entry);
                let candidate = Candidate {
                    kernel: self.compile_one(compiler, &source, variant, &entry),
                    variant: *variant,
                    entry,
                    counters: None,
                    resources: None,
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
        variant: &S::Variant,
        entry: &S::Entry,
    ) -> Result<Kernel, Refusal> {
        let subject = self.subject();
        if let Some(reason) = subject.over_limits(variant) {
            return Err(Refusal {
                reason,
                is_wrong: false,
            });
        }
        let code = S::code(entry);
        // Messages of the compiler name the lines of the file.
        let source = format!("{}#line 1\n{source}", subject.defines(variant));
        let name = code.file.file_name().unwrap_or_default().to_string_lossy();
        let compiled = compiler.compile(&source, &name, code.arch)?;
        let text = ptx::for_drivers(&compiled.ptx);
        let kernel = Kernel::ptx(&text, code.entry)?;
        Ok(kernel.with_dynamic_shared_bytes(code.dynamic_shared_bytes))
    }

    /// Runs every variant at the small shapes, and refuses those that are wrong there or that the device cannot have.
    ///
    /// # Errors
    /// Where the device itself fails, or a kernel's fault took its memory.
    pub fn verify(&self, candidates: &mut [Candidate<S>]) -> anyhow::Result<()> {
        let count = candidates.len();
        for (place, small) in self.subject().small().into_iter().enumerate() {
            let task = small.task(self.device, &self.entry)?;
            for (index, candidate) in candidates.iter_mut().enumerate() {
                if self.is_interrupted() {
                    return Ok(());
                }
                output::progress(&format!(
                    "  verifying at {small}: {} of {count} variants",
                    index + 1
                ));
                if place == 0 {
                    candidate.look_at_resources(self.device)?;
                }
                candidate.verify(&task)?;
                if place == 0 && !self.device.is_cuda() {
                    candidate.count(&task)?;
                }
            }
        }
        Ok(())
    }
}

impl<S: Tuned> Candidate<S> {
    /// Compares the result of one launch bit by bit, and refuses the variant where it differs or does not run.
    pub fn verify(&mut self, task: &S::Task) -> cornerturn::Result<()> {
        let Ok(kernel) = &self.kernel else {
            return Ok(());
        };
        let result = S::verify(task, &self.entry, kernel);
        self.keep(result)
    }

    /// Asks the driver what a thread has, and refuses the variant where the driver refuses it.
    fn look_at_resources(&mut self, device: &Device) -> cornerturn::Result<()> {
        let Ok(kernel) = &self.kernel else {
            return Ok(());
        };
        match device.resources(kernel, S::threads(&self.entry)) {
            Ok(resources) => {
                self.resources =
                    resources.map(|r| (r.registers_per_thread, r.local_bytes_per_thread));
                Ok(())
            }
            Err(error) => self.keep(Err(error)),
        }
    }

    /// An error of the variant refuses it; one of the device is the search's.
    fn keep(&mut self, result: cornerturn::Result<()>) -> cornerturn::Result<()> {
        match result {
            Err(error) if is_of_the_device(&error) => Err(error),
            Err(error) => {
                self.kernel = Err(error.into());
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn count(&mut self, task: &S::Task) -> cornerturn::Result<()> {
        if let Ok(kernel) = &self.kernel {
            self.counters = S::counters(task, &self.entry, kernel)?;
        }
        Ok(())
    }
}

/// How many did something wrong.
pub fn wrong<S: Tuned>(candidates: &[Candidate<S>]) -> usize {
    let refused = candidates.iter().filter_map(|c| c.kernel.as_ref().err());
    refused.filter(|refusal| refusal.is_wrong).count()
}

/// Whether an error ends the search, being no matter of one variant.
fn is_of_the_device(error: &Error) -> bool {
    matches!(
        error,
        Error::Memory { .. } | Error::NoCuda(_) | Error::Fault { .. } | Error::Shape { .. }
    )
}
