//! What the emulator's checks say of a run whose result is right, and on which matrices they were made. Which those are is in `others`; how a launch is checked is the emulator's.

use super::core::Core;
use super::others::{self, Wrong};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html;
use cornerturn_base::shape::{Dim3, Shape};
use cornerturn_emulator::Finding;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::{LaunchOptions, LaunchReport};
use std::fmt;

/// A run that moves no more is checked as it is launched: no reader waits for that.
pub(crate) const MOST_CHECKED_BYTES: u64 = 1 << 24;

/// A larger one is checked as it is launched only where no smaller matrix is found for it, and up to this.
const MOST_CHECKED_WHOLE_BYTES: u64 = 1 << 28;

/// On which matrix a run was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// On its own.
    Here,
    /// On a smaller one, on which the kernel gives the right result too.
    Smaller {
        /// The matrix.
        shape: Shape,
        /// The blocks of its grid.
        grid: Dim3,
    },
    /// On a smaller work of the same kind, of which the kernel gives the right result too.
    SmallerWork {
        /// What it does.
        what: String,
        /// The blocks of its grid.
        grid: Dim3,
    },
    /// On none, and why.
    Not(&'static str),
}

impl Checked {
    /// A run without checks.
    pub(crate) const NOBODY_ASKED: Self = Self::Not("nobody asked for it");
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here => f.write_str("in this launch"),
            Self::Smaller { shape, grid } => write!(f, "on a {shape} matrix, grid {grid}"),
            Self::SmallerWork { what, grid } => write!(f, "on {what}, grid {grid}"),
            Self::Not(why) => write!(f, "not checked: {why}"),
        }
    }
}

/// Other sizes of the same kind on which a kernel was tried, beside those that [`Checked`] names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Others {
    /// Those on which it is right and on which the same checks find nothing, each with its grid.
    pub right: Vec<(String, Dim3)>,
    /// What all their sides are multiples of, where the kernel is meant for such only; else empty.
    pub only: String,
    /// One on which no grid that was tried gives the right result: a launch does not tell how its blocks cover a matrix.
    pub unsure: Option<String>,
    /// Why none was tried; empty where some were, or nobody asked.
    pub none: &'static str,
}

impl Others {
    /// None, because of this.
    pub(crate) fn none(why: &'static str) -> Self {
        Self {
            none: why,
            ..Self::default()
        }
    }

    /// The line that names them; nothing where nobody asked.
    pub(crate) fn line(&self) -> Option<String> {
        if self.right.is_empty() {
            return (!self.none.is_empty()).then(|| format!("other sizes: {}", self.none));
        }
        let names: Vec<&str> = self.right.iter().map(|(name, _)| name.as_str()).collect();
        let mut line = format!("right on {} too, with the same checks", html::list(&names));
        if !self.only.is_empty() {
            line.push_str(&format!("; meant for {} only", self.only));
        }
        if let Some(unsure) = &self.unsure {
            line.push_str(&format!("; on {unsure} not with any grid that was tried"));
        }
        Some(line)
    }

    /// The same as a paragraph of a notebook or page, after others; empty where nobody asked.
    pub(crate) fn html(&self) -> String {
        let mark = match self.right.is_empty() || self.unsure.is_some() {
            true => "–",
            false => "✓",
        };
        match self.line() {
            Some(line) => format!(
                "\n{}",
                html::paragraph("ct-checked", &format!("{mark} {line}"))
            ),
            None => String::new(),
        }
    }
}

/// What the checks of a run come to.
pub(crate) struct Verdict {
    pub(crate) checked: Checked,
    pub(crate) others: Others,
    /// What CUDA allows and is worth a remark.
    pub(crate) remarks: Vec<Finding>,
}

impl Verdict {
    /// Checked in this place, and tried on no other size.
    pub(crate) fn of((checked, remarks): (Checked, Vec<Finding>)) -> Self {
        Self {
            checked,
            others: Others::default(),
            remarks,
        }
    }

    /// Not checked, because of this.
    pub(crate) fn not(why: &'static str) -> Self {
        Self::of((Checked::Not(why), Vec::new()))
    }
}

impl Core {
    /// Runs the kernel once more with all checks, on the task's matrix where that is small, and on other small ones of
    /// its kind, on which it has to be right too.
    pub(super) fn checked(&self, kernel: &Kernel, grid: Dim3, block: Dim3) -> Result<Verdict> {
        if !kernel.is_emulated() {
            return Ok(Verdict::not(
                "the emulator does not support this kernel yet",
            ));
        }
        let bytes = self.problem.bytes_moved();
        let here = || {
            let report = self.emulate(kernel, grid, block, &LaunchOptions::checked());
            outcome(report, Checked::Here)
        };
        let is_large = bytes > MOST_CHECKED_BYTES;
        let mut found = match is_large {
            true => None,
            false => Some(here()?),
        };
        let tried = others::tried(&self.problem, kernel, grid, block)?;
        let mut right = Vec::new();
        for other in tried.right {
            let (shape, grid) = (other.shape, other.grid);
            let checked = outcome(other.report.into_result(), Checked::Smaller { shape, grid })?;
            right.push((shape.to_string(), grid));
            found.get_or_insert(checked);
        }
        if let Some(wrong) = tried.wrong {
            return Err(self.wrong_elsewhere(kernel, wrong, &right));
        }
        let others = match right.is_empty() {
            true => Others::none(
                "on none that was tried does a grid like this one give the right result",
            ),
            // The first is where a large one was checked.
            false => Others {
                right: right.split_off(usize::from(is_large)),
                only: others::only(&self.problem, kernel),
                unsure: tried.unsure.map(|shape| shape.to_string()),
                none: "",
            },
        };
        let (checked, remarks) = match found {
            Some(found) => found,
            None if bytes <= MOST_CHECKED_WHOLE_BYTES => here()?,
            None => {
                return Ok(Verdict::not(
                    "that takes long on a matrix of this size, and on none of the smaller ones that were tried does this grid give the right result",
                ));
            }
        };
        Ok(Verdict {
            checked,
            others,
            remarks,
        })
    }

    /// The kernel is right on the task's matrix, and on these, and wrong on another of its kind.
    fn wrong_elsewhere(&self, kernel: &Kernel, wrong: Wrong, right: &[(String, Dim3)]) -> Error {
        let own = self.problem.shape.to_string();
        let mut names = vec![own.as_str()];
        names.extend(right.iter().map(|(name, _)| name.as_str()));
        Error::WrongElsewhere {
            kernel: kernel.name().to_string(),
            right: html::list(&names),
            wrong: wrong.shape.to_string(),
            grid: wrong.grid,
            reason: Box::new(wrong.error),
            meant: wrong.meant,
        }
    }
}

/// What a checked launch in this place comes to: the remarks on it, or what was found wrong, as an error that says where.
pub(crate) fn outcome(
    report: Result<LaunchReport>,
    place: Checked,
) -> Result<(Checked, Vec<Finding>)> {
    match report {
        Ok(report) => Ok((place, report.remarks)),
        Err(Error::Kernel {
            kernel,
            findings,
            printed,
        }) => Err(Error::Checked {
            kernel,
            findings,
            place: place.to_string(),
            printed,
        }),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{RegisteredTask, Task};
    use cornerturn_base::shape::Shape;
    use cornerturn_registry::registry::Registry;
    use cornerturn_runtime::compile::{Compiler, CompilerKind};
    use cornerturn_runtime::device::Device;

    fn padded_without(barrier: &str) -> Kernel {
        let padded = Kernel::registered("padded").unwrap();
        let ptx = padded.ptx_text().replacen(barrier, "", 1);
        assert_ne!(ptx, padded.ptx_text());
        Kernel::ptx(&ptx, "padded").unwrap()
    }

    #[test]
    fn a_missing_barrier_is_found_behind_a_right_result() {
        let kernel = padded_without("bar.sync \t0;");
        for (side, place) in [
            (256, "in this launch"),
            (2048, "on a 113×81 matrix, grid 3×4"),
        ] {
            let task = Task::transpose(&Device::emulator(), side, side).unwrap();
            let grid = (side / 32, side / 32);
            task.verify(&kernel, grid, (32, 8)).unwrap();
            let error = task.run(&kernel, grid, (32, 8)).unwrap_err();
            assert_eq!(error.exit_code(), 1);
            let text = error.to_string();
            assert!(
                text.contains("race") && text.contains("padded.cu"),
                "{text}"
            );
            assert!(text.contains(place), "{text}");
        }
    }

    /// A kernel that our own compiler makes of an edit of `tiled`.
    fn edited(from: &str, to: &str) -> Kernel {
        let registry = Registry::load().unwrap();
        let source = registry.source(registry.get("tiled").unwrap()).unwrap();
        assert!(source.contains(from), "{source}");
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        Kernel::cuda_by(&compiler, &source.replace(from, to), "tiled.cu", "tiled").unwrap()
    }

    fn run(kernel: &Kernel, rows: usize, columns: usize) -> Result<crate::Run> {
        let task = Task::transpose(&Device::emulator(), rows, columns).unwrap();
        task.run(kernel, (columns.div_ceil(32), rows.div_ceil(32)), (32, 8))
    }

    #[test]
    fn a_kernel_that_is_right_on_squares_only_is_refused() {
        let kernel = edited(") * rows + out_column]", ") * columns + out_column]");
        for side in [64, 96, 2048] {
            let error = run(&kernel, side, side).unwrap_err();
            assert_eq!(error.exit_code(), 1);
            let text = error.to_string();
            let right = format!("right on {side}×{side}");
            assert!(
                text.contains(&right) && text.contains("wrong on 113×81"),
                "{text}"
            );
            assert!(text.contains("leading dimension is `rows`"), "{text}");
        }
    }

    #[test]
    fn a_kernel_without_its_guards_is_refused_unless_it_says_what_it_is_for() {
        let source = edited("", "").source().unwrap_or_default().to_string();
        let guards: Vec<&str> = source
            .lines()
            .filter(|line| line.contains("if ("))
            .collect();
        assert_eq!(guards.len(), 2, "{source}");
        let without = guards
            .iter()
            .fold(source.clone(), |text, guard| text.replace(guard, ""));
        let kernel = edited(&source, &without);
        for side in [64, 2048] {
            let text = run(&kernel, side, side).unwrap_err().to_string();
            assert!(
                text.contains("96×64") && text.contains("wrong on 113×81"),
                "{text}"
            );
            assert!(text.contains("for_multiples_of([32, 32])"), "{text}");
            let run = run(&kernel.for_multiples_of([32, 32]), side, side).unwrap();
            let line = run.others.line().unwrap();
            assert!(line.contains("multiples of 32"), "{line}");
        }
    }

    #[test]
    fn every_registered_kernel_is_right_on_all_kinds_of_matrices_that_it_takes() {
        let registry = Registry::load().unwrap();
        for entry in registry.kernels() {
            let [across, down] = entry.multiple_of.map(|n| n.max(1) as usize);
            let kernel = Kernel::committed(&registry, entry).unwrap();
            let of = across.max(down).max(64);
            for side in [64, 3072] {
                let side = usize::next_multiple_of(side, of);
                let shape = Shape::new(side, side);
                let task = RegisteredTask::new(&Device::emulator(), entry, shape, 1).unwrap();
                let (grid, block) = task.launch_shape(entry).unwrap();
                let verdict = task.0.checked(&kernel, grid, block).unwrap();
                let checked = &verdict.checked;
                let is_large = task.problem().bytes_moved() > MOST_CHECKED_BYTES;
                assert_eq!(
                    matches!(checked, Checked::Smaller { .. }),
                    is_large,
                    "{}: {checked}",
                    entry.id
                );
                assert!(
                    verdict.others.right.len() >= 2,
                    "{} {shape}: {:?}",
                    entry.id,
                    verdict.others
                );
            }
        }
    }
}
