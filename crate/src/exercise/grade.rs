//! The steps of a verdict: compiles, has the kernel, right on every shape without a finding, counters within bounds. The first that fails ends it.

use super::bound::Bound;
use super::counted::{Counted, number};
use super::data::{Exercise, Kind};
use super::grading::{Failure, Grading, Stop};
use super::order;
use super::predict;
use super::sketch::{self, Sketch};
use super::trial::Trial;
use super::verdict::Verdict;
use crate::device::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::html::counted;
use crate::kernel::Kernel;
use crate::launch::LaunchReport;
use crate::shape::Shape;
use crate::signature::Parameter;
use crate::timing::{TimingMode, TimingOptions};
use crate::traffic::GbPerS;
use cornerturn_emulator::{Finding, FindingKind, Param, ParamType};

/// The longest source that is graded.
const MOST_BYTES: usize = 1 << 20;
/// The most lines of the compiler's log that a verdict repeats.
const LOG_LINES: usize = 24;
/// The matrix whose bandwidth a passed verdict shows.
const TIMED: usize = 4096;

impl Exercise {
    /// Grades an answer: the participant's whole file. On the emulator, whatever the device, so that the verdict is the
    /// same everywhere; a mistake of the participant is a verdict that failed and never an error.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs it; [`Error::Ptx`] of the kind `Unsupported` for an
    /// instruction that the emulator lacks; [`Error::Memory`].
    pub fn check(&self, source: &str) -> Result<Verdict> {
        let mut grading = Grading::new(self);
        if self.kind == Kind::Predict {
            let graded = predict::grade_source(&mut grading, source);
            return grading.end(graded);
        }
        let mut kernel = None;
        let graded = grading.kernel(source, &mut kernel);
        let mut verdict = grading.end(graded)?;
        if let Some(kernel) = kernel.filter(|_| verdict.passed) {
            verdict.bandwidth = bandwidth(self, &kernel);
        }
        Ok(verdict)
    }

    /// Grades predicted numbers.
    ///
    /// # Errors
    /// [`Error::Usage`] for an exercise that asks for a kernel; else as [`Exercise::check`].
    pub fn answer(&self, answers: &[(&str, f64)]) -> Result<Verdict> {
        if self.kind != Kind::Predict {
            return Err(Error::Usage(format!(
                "exercise `{0}` asks for a kernel, not for numbers: exercise::check(\"{0}\", source)",
                self.id
            )));
        }
        let mut grading = Grading::new(self);
        let graded = predict::grade(&mut grading, answers);
        grading.end(graded)
    }
}

impl Grading<'_> {
    /// Takes a kernel through all steps; it is kept in `ready` once it compiles.
    fn kernel(&mut self, source: &str, ready: &mut Option<Kernel>) -> Result<(), Stop> {
        let exercise = self.exercise;
        let kernel = self.compile(source)?;
        self.check_parameters(&kernel)?;
        ready.replace(kernel.clone());
        let emulator = Device::emulator();
        let [rows, columns] = exercise.shown;
        let shown = Shape::new(rows, columns);
        let (_, report) = run(exercise, &emulator, &kernel, shown)?;
        self.printed = report.printed;
        self.passed(format!("the result is right on {shown}"));
        for &[rows, columns] in &exercise.hidden {
            run(exercise, &emulator, &kernel, Shape::new(rows, columns))?;
        }
        let [rows, columns] = exercise.counted;
        let (trial, report) = run(exercise, &emulator, &kernel, Shape::new(rows, columns))?;
        let others = exercise.hidden.len() + 1;
        self.passed(format!("and on {others} other shapes"));
        self.passed("no race, no access out of bounds, nothing read that was not written");
        self.check_bounds(&kernel, &trial, &report)
    }

    fn compile(&mut self, source: &str) -> Result<Kernel, Stop> {
        let (claim, exercise) = ("it compiles", self.exercise);
        if source.len() > MOST_BYTES {
            let reason = format!(
                "the source has {} bytes, and {MOST_BYTES} are the most",
                source.len()
            );
            return Failure::new(claim, reason).stop();
        }
        let file = exercise.file_name();
        let kernel = match Kernel::cuda_file(source, &file, &exercise.entry) {
            Err(Error::Compile { log }) => return Failure::new(claim, shortened(&log)).stop(),
            // The compiler does not look into inline PTX.
            Err(error @ (Error::Usage(_) | Error::Ptx { .. }))
                if error.kind() == ErrorKind::BadUse =>
            {
                return Failure::new(claim, error.to_string()).stop();
            }
            Err(Error::Entry(reason)) => {
                self.passed(claim);
                return Failure::new(
                    self.claim_of_parameters(),
                    no_entry(&exercise.entry, &reason),
                )
                .stop();
            }
            result => result?,
        };
        self.passed(claim);
        kernel.module()?;
        Ok(kernel.with_dynamic_shared_bytes(exercise.dynamic_shared_bytes))
    }

    fn claim_of_parameters(&self) -> String {
        format!(
            "`{}` takes ({})",
            self.exercise.entry,
            self.exercise.parameters()
        )
    }

    fn check_parameters(&mut self, kernel: &Kernel) -> Result<(), Stop> {
        let claim = self.claim_of_parameters();
        let (params, declared) = (kernel.params(), kernel.declared());
        let reason = match params.len() {
            4 => (0..4).find_map(|i| {
                let declared = declared.and_then(|declared| declared.get(i));
                let why = misfit(self.exercise, i, &params[i], declared)?;
                let name =
                    declared.map_or(String::new(), |declared| format!(" (`{}`)", declared.name));
                Some(format!("parameter {}{name} {why}", i + 1))
            }),
            n => Some(format!("it takes {n} parameters, and 4 are passed")),
        };
        match reason {
            None => {
                self.passed(claim);
                Ok(())
            }
            Some(reason) => {
                let (entry, parameters) = (&self.exercise.entry, self.exercise.parameters());
                let reason =
                    format!("{reason}; the exercise passes what `{entry}({parameters})` takes");
                Failure::new(claim, reason).stop()
            }
        }
    }

    fn check_bounds(
        &mut self,
        kernel: &Kernel,
        trial: &Trial,
        report: &LaunchReport,
    ) -> Result<(), Stop> {
        let asks_for_order = |bound: &Bound| bound.amount().counter() == "neighbours_in_line";
        let counted = Counted {
            work: self.exercise.work,
            element: self.exercise.element,
            kernel,
            shape: trial.shape,
            counters: report.counters.unwrap_or_default(),
            neighbours_in_line: match self.exercise.bounds.iter().any(asks_for_order) {
                true => order::neighbours_in_line(trial, kernel)?,
                false => 0,
            },
        };
        for bound in &self.exercise.bounds {
            let words = bound.words();
            match bound.keeps(&counted) {
                Ok(value) => self.passed(format!("{words} ({} counted)", number(value))),
                Err(end) => {
                    let reason = format!("asked for: {words}, {end}; {}", bound.because.trim());
                    let sketch = sketch::worst(trial, kernel, report, bound.amount().counter())?;
                    return Failure::new(words, reason).with(sketch).stop();
                }
            }
        }
        Ok(())
    }
}

/// Launches an answer on one matrix and compares.
fn run<'a>(
    exercise: &'a Exercise,
    device: &Device,
    kernel: &Kernel,
    shape: Shape,
) -> Result<(Trial<'a>, LaunchReport), Stop> {
    let trial = Trial::new(exercise, device, shape)?;
    let report = match trial.checked(kernel) {
        Err(Error::Kernel {
            findings, printed, ..
        }) if !findings.is_empty() => {
            let failure = of_findings(kernel, &findings, &trial);
            return failure.printing(*printed).stop();
        }
        Err(error @ (Error::Arguments { .. } | Error::Limit { .. })) => {
            return Failure::new("the kernel can be launched", error.to_string()).stop();
        }
        Err(Error::Ptx { reason, .. }) if !reason.is_gap() => {
            return Failure::new("the kernel can be launched", reason.to_string()).stop();
        }
        result => result?,
    };
    match trial.compare()? {
        None => Ok((trial, report)),
        Some(wrong) => Failure::new(wrong.claim, wrong.reason)
            .with(Sketch {
                text: wrong.map,
                picture: None,
            })
            .printing(report.printed)
            .stop(),
    }
}

/// The finding that explains most: what stops a kernel before what does not.
fn of_findings(kernel: &Kernel, findings: &[Finding], trial: &Trial) -> Failure {
    let fatal = findings.iter().find(|finding| finding.kind.is_fatal());
    let Some(finding) = fatal.or(findings.first()) else {
        return Failure::default();
    };
    let claim = match finding.kind {
        FindingKind::Race => "no race",
        FindingKind::Uninitialized => "nothing is read that was not written",
        FindingKind::BarrierDivergence => "every thread of a block reaches each barrier",
        FindingKind::OutOfBounds | FindingKind::Misaligned | FindingKind::InvalidAddress => {
            "every access is aligned and inside its buffer"
        }
        FindingKind::Limit => "the launch is within the limits of a GPU",
        _ => "the kernel runs to its end",
    };
    let mut reason = finding.message();
    if finding.kind == FindingKind::EndlessLoop {
        reason.push_str(&format!(
            " On {} an exercise stops a warp after {} instructions; a solution needs a few thousand.",
            trial.shape,
            trial.warp_budget()
        ));
    }
    if findings.len() > 1 {
        let others = findings.len() as u64 - 1;
        let others = counted(others, "other finding is", "other findings are");
        reason.push_str(&format!("\n{others} not shown"));
    }
    let text = finding
        .source
        .as_ref()
        .map_or(String::new(), |place| sketch::line(kernel, place));
    Failure::new(format!("{claim}, on {}", trial.shape), reason).with(Sketch {
        text,
        picture: None,
    })
}

/// Why a parameter does not take what is passed; `None` where it does.
fn misfit(
    exercise: &Exercise,
    i: usize,
    param: &Param,
    declared: Option<&Parameter>,
) -> Option<String> {
    let is_integer = |bits: u16| {
        [
            ParamType::Unsigned(bits.into()),
            ParamType::Signed(bits.into()),
            ParamType::Bits(bits.into()),
        ]
        .contains(&param.ty)
    };
    let is_pointer = declared.map(|declared| declared.pointer);
    let element = declared.and_then(|declared| declared.element);
    if i < 2 {
        let wanted = exercise.element;
        return match (is_pointer, element) {
            _ if !is_integer(64) => Some("is no pointer".to_string()),
            (Some(false), _) => Some("is no pointer".to_string()),
            (_, Some(element)) if element != wanted => Some(format!(
                "points to {element}, and the matrix is of {wanted}"
            )),
            _ => None,
        };
    }
    let is_count = is_integer(32) || is_integer(64);
    (is_pointer == Some(true) || !is_count).then(|| "is no integer".to_string())
}

fn no_entry(entry: &str, reason: &str) -> String {
    let mangled = format!("{}{entry}", entry.len());
    match reason.contains(&format!("_Z{mangled}")) {
        true => format!(
            "`{entry}` is there, but not under its own name: write `extern \"C\"` before `__global__`, or C++ adds the \
             parameters' types to it"
        ),
        false => format!(
            "{reason}; the exercise launches `{entry}`, so the kernel has to keep that name"
        ),
    }
}

fn shortened(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    match lines.len().checked_sub(LOG_LINES) {
        None | Some(0) => log.to_string(),
        Some(more) => format!(
            "{}\n… and {}",
            lines[..LOG_LINES].join("\n"),
            counted(more as u64, "more line", "more lines")
        ),
    }
}

/// The kernel's bandwidth beside the copy's; on a machine with a GPU.
fn bandwidth(exercise: &Exercise, kernel: &Kernel) -> Option<String> {
    let device = Device::open().ok().filter(Device::is_cuda)?;
    let measure = || -> Result<String> {
        let trial = Trial::new(exercise, &device, Shape::new(TIMED, TIMED))?;
        let options = TimingOptions::from(TimingMode::Cold);
        let rate = trial.time(kernel, options)?.gb_per_s(trial.bytes_moved());
        let half = trial.bytes_moved() / 2;
        let copy: GbPerS = device
            .time_copy(half, options)?
            .gb_per_s(trial.bytes_moved());
        Ok(format!(
            "{TIMED}×{TIMED} on {}: {rate}, {:.0} % of the device copy ({copy})",
            device.name(),
            rate.percent_of(copy)
        ))
    };
    Some(measure().unwrap_or_else(|error| format!("its bandwidth could not be measured: {error}")))
}
