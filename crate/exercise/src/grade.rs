//! The steps of a verdict: compiles, has the kernel, right on every shape without a finding, counters within bounds. The first that fails ends it.

use super::counted::{Counted, number};
use super::data::{Exercise, Kind};
use super::dependence;
use super::grading::{Failure, Grading, MOST_BYTES, Stop};
use super::order;
use super::pipeline;
use super::predict;
use super::product_trace::ProductTrace;
use super::seed::Seed;
use super::sketch::{self, Sketch};
use super::terms::Terms;
use super::traced::Traced;
use super::trial::Trial;
use super::verdict::Verdict;
use super::ways;
use cornerturn_base::error::{Error, ErrorKind, Result};
use cornerturn_base::html::counted;
use cornerturn_base::shape::Shape;
use cornerturn_base::timing::{TimingMode, TimingOptions};
use cornerturn_base::traffic::GbPerS;
use cornerturn_emulator::{Detail, Finding, FindingKind};
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::launch::LaunchReport;

/// The most lines of the compiler's log that a verdict repeats.
const LOG_LINES: usize = 24;
/// The matrix whose bandwidth a passed verdict shows.
const TIMED: usize = 4096;

impl Exercise {
    /// Grades an answer: the participant's whole file, on matrices drawn for this check. On the emulator, whatever the
    /// device, so that the verdict is the same everywhere; a mistake of the participant is a verdict that failed and never
    /// an error.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], with the command that installs it; [`Error::Ptx`] of the kind `Unsupported` for an
    /// instruction that the emulator lacks; [`Error::Memory`].
    pub fn check(&self, source: &str) -> Result<Verdict> {
        self.check_under(&Terms::default(), source)
    }

    /// The same under these terms: equal terms and sources have equal verdicts.
    ///
    /// # Errors
    /// As [`Exercise::check`].
    pub fn check_under(&self, terms: &Terms, source: &str) -> Result<Verdict> {
        let mut verdict = self.graded(terms, source)?;
        verdict.is_starter = !verdict.passed && self.is_starter(terms, source);
        Ok(verdict)
    }

    /// Whether an answer is what the participant began with.
    fn is_starter(&self, terms: &Terms, source: &str) -> bool {
        let starters = [self.starter(), self.starter_for(&terms.participant)];
        let lines = |text: &str| -> Vec<String> {
            let lines = text.trim_end().lines();
            lines.map(|line| line.trim_end().to_string()).collect()
        };
        starters
            .iter()
            .any(|starter| lines(starter) == lines(source))
    }

    fn graded(&self, terms: &Terms, source: &str) -> Result<Verdict> {
        let mut grading = Grading::new(self, terms);
        if self.kind == Kind::Predict {
            let graded = predict::grade_source(&mut grading, source);
            return grading.end(graded);
        }
        if let (Kind::Pipeline, Some(asked)) = (self.kind, &self.pipeline) {
            let graded = pipeline::grade(&mut grading, asked, source);
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
        self.answer_under(&Terms::default(), answers)
    }

    /// The same under these terms.
    ///
    /// # Errors
    /// As [`Exercise::answer`].
    pub fn answer_under(&self, terms: &Terms, answers: &[(&str, f64)]) -> Result<Verdict> {
        if self.kind != Kind::Predict {
            return Err(Error::Usage(format!(
                "exercise `{0}` asks for a {1}, not for numbers: exercise::check(\"{0}\", source)",
                self.id,
                if self.kind.asks_for_kernel() {
                    "kernel"
                } else {
                    "pipeline"
                }
            )));
        }
        let mut grading = Grading::new(self, terms);
        let graded = predict::grade(&mut grading, answers);
        grading.end(graded)
    }

    /// Grades predicted numbers as they were typed into fields, each under its question: nothing is said of files, lines
    /// and names.
    ///
    /// # Errors
    /// As [`Exercise::check`].
    pub fn answer_fields_under(&self, terms: &Terms, typed: &[(&str, &str)]) -> Result<Verdict> {
        let mut grading = Grading::new(self, terms);
        grading.in_fields = true;
        let graded = predict::grade_fields(&mut grading, typed);
        let mut verdict = grading.end(graded)?;
        verdict.is_starter =
            !verdict.passed && typed.iter().all(|(_, text)| text.trim().is_empty());
        Ok(verdict)
    }
}

impl Grading<'_> {
    /// Takes a kernel through all steps; it is kept in `ready` once it compiles.
    fn kernel(&mut self, source: &str, ready: &mut Option<Kernel>) -> Result<(), Stop> {
        let (exercise, seed) = (self.exercise, self.terms.seed);
        let kernel = self.compile(source)?;
        self.check_parameters(&kernel)?;
        ready.replace(kernel.clone());
        let emulator = Device::emulator();
        let trial = |size| Trial::new(exercise, &emulator, size, seed);
        let shown = exercise.shown_size();
        let report = run(&trial(shown)?, &kernel, false)?;
        self.printed = report.printed;
        self.passed(format!("the result is right on {shown}"));
        let (hidden, counted) = (exercise.hidden_sizes(seed), exercise.counted_sizes(seed));
        for &size in &hidden {
            run(&trial(size)?, &kernel, false)?;
        }
        let mut launches = Vec::with_capacity(counted.len());
        for &size in &counted {
            let trial = trial(size)?;
            let report = run(&trial, &kernel, !exercise.bounds.is_empty())?;
            launches.push((trial, report));
        }
        let others = hidden.len() + counted.len();
        let what = exercise.work.on_arrays().map_or("shapes", |_| "sizes");
        self.passed(format!("and on {others} other {what}, most of them drawn"));
        self.passed("no race, no access out of bounds, nothing read that was not written");
        self.check_instructions(&kernel)?;
        if exercise.programmatic {
            let claim = "it waits for the kernel before it, wherever it needs that";
            dependence::check(&trial(shown)?, &kernel, claim)?;
            self.passed(claim);
        }
        self.check_bounds(&kernel, &launches)
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
            Err(Error::Compile { log, .. }) => return Failure::new(claim, shortened(&log)).stop(),
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
        let Some(reason) = self.exercise.misfit(kernel) else {
            self.passed(claim);
            return Ok(());
        };
        let (entry, parameters) = (&self.exercise.entry, self.exercise.parameters());
        let reason = format!("{reason}; the exercise passes what `{entry}({parameters})` takes");
        Failure::new(claim, reason).stop()
    }

    /// What no run can show, read from the PTX.
    fn check_instructions(&mut self, kernel: &Kernel) -> Result<(), Stop> {
        let lines: Vec<&str> = kernel.ptx_text().lines().map(str::trim).collect();
        let first = |start: &str| lines.iter().position(|line| line.starts_with(start));
        let last = |start: &str| lines.iter().rposition(|line| line.starts_with(start));
        for asked in &self.exercise.ordered {
            let claim = format!("`{}` stands where it is needed", asked.ptx);
            let (after, before) = (last(&asked.after), first(&asked.before));
            let mut places = lines
                .iter()
                .enumerate()
                .filter(|(_, line)| line.starts_with(&asked.ptx));
            let between = |at: usize| {
                after.is_none_or(|after| at > after) && before.is_none_or(|before| at < before)
            };
            if !places.any(|(at, _)| between(at)) {
                let reason = format!(
                    "the PTX has no `{}` behind the last `{}` and before the first `{}`; {}",
                    asked.ptx,
                    asked.after,
                    asked.before,
                    asked.because.trim()
                );
                return Failure::new(claim, reason).stop();
            }
            self.passed(claim);
        }
        Ok(())
    }

    /// Holds every counted launch against every bound.
    fn check_bounds(
        &mut self,
        kernel: &Kernel,
        launches: &[(Trial, LaunchReport)],
    ) -> Result<(), Stop> {
        if self.exercise.bounds.is_empty() {
            return Ok(());
        }
        for (trial, report) in launches {
            if let Some((claim, because, site)) =
                ways::forbidden(self.exercise, &report.sites, kernel.ptx_text())
            {
                let text = site.and_then(|site| site.source.as_ref());
                let text = text.map_or(String::new(), |place| sketch::line(kernel, place));
                let reason = format!("on {} there were some; {because}", trial.size);
                let picture = None;
                return Failure::new(claim, reason)
                    .with(Sketch { text, picture })
                    .stop();
            }
            self.check_shares(kernel, trial)?;
        }
        let mut counted = Vec::with_capacity(launches.len());
        for (trial, report) in launches {
            counted.push(self.counted(kernel, trial, report)?);
        }
        for bound in &self.exercise.bounds {
            let words = bound.words();
            let mut values = Vec::new();
            for (counted, (trial, report)) in counted.iter().zip(launches) {
                match bound.keeps(counted) {
                    Ok(value) => values.push(format!("{} on {}", number(value), trial.size)),
                    Err(end) => {
                        let reason = format!("asked for: {words}, {end}; {}", bound.because.trim());
                        let counter = bound.amount().counter().to_string();
                        let sketch = sketch::worst(trial, kernel, report, &counter)?;
                        return Failure::new(words, reason).with(sketch).stop();
                    }
                }
            }
            self.passed(format!("{words} ({})", values.join(", ")));
        }
        Ok(())
    }

    /// Each block has a tile, and nobody else has it. Of a matrix in its own place, half of the blocks may rest.
    fn check_shares(&self, kernel: &Kernel, trial: &Trial) -> Result<(), Stop> {
        let idle = order::idle_blocks(trial, kernel)?;
        if idle == 0 || self.exercise.in_place {
            return Ok(());
        }
        let all = self.exercise.grid(trial.size).count();
        let reason = format!(
            "{idle} of {all} blocks touch no global memory; the grid has a block for each tile, and on a GPU the others \
             would wait for those that do the work"
        );
        Failure::new(
            format!("every block does its own share, on {}", trial.size),
            reason,
        )
        .stop()
    }

    fn counted<'r>(
        &self,
        kernel: &'r Kernel,
        trial: &Trial,
        report: &'r LaunchReport,
    ) -> Result<Counted<'r>, Stop> {
        let asks_for = |counter: &str| {
            let mut bounds = self.exercise.bounds.iter();
            bounds.any(|bound| bound.amount().counter() == counter)
        };
        let shares = self.exercise.shares(trial.size);
        Ok(Counted {
            counters: report.counters.unwrap_or_default(),
            sites: &report.sites,
            blocks: self.exercise.grid(trial.size).count(),
            warp_instructions: report.warp_instructions,
            near_neighbours: match asks_for("near_neighbours") {
                true => order::near_neighbours(trial, kernel)?,
                false => 0,
            },
            traced: match asks_for("loads_before_a_store") || asks_for("constant_words") {
                true => Traced::of(trial, kernel)?,
                false => Traced::default(),
            },
            shares,
            product: match ProductTrace::NAMES.into_iter().any(asks_for) {
                true => ProductTrace::of(trial, kernel, shares)?,
                false => ProductTrace::default(),
            },
            ..Counted::new(kernel, trial.size, trial.given.wanted())
        })
    }
}

/// Launches an answer on one matrix and compares; where its counters are asked for, each block may do its own share only.
fn run(trial: &Trial, kernel: &Kernel, is_counted: bool) -> Result<LaunchReport, Stop> {
    let launched = match is_counted {
        true => trial.counted(kernel),
        false => trial.checked(kernel),
    };
    let report = match launched {
        Err(Error::Kernel {
            findings, printed, ..
        }) if !findings.is_empty() => {
            let failure = of_findings(kernel, &findings, trial);
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
    match trial.given.compare()? {
        None => Ok(report),
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
    if let Detail::Budget {
        instructions,
        whole_launch: false,
    } = finding.detail
        && instructions == trial.share_budget()
    {
        return Failure::new(
            format!("every block does its own share, on {}", trial.size),
            format!(
                "a warp of block {:?} had executed {instructions} instructions and went on; the grid has a block for \
                 each tile, and its part of one takes a few hundred. Does one block do the work of others?",
                finding.block
            ),
        );
    }
    let claim = match finding.kind {
        FindingKind::Race => "no race",
        FindingKind::Uninitialized => "nothing is read that was not written",
        FindingKind::Division => "nothing is divided by 0",
        FindingKind::Mask => "every lane that a mask names comes, and no other",
        FindingKind::Mbarrier => "every phase of an mbarrier is completed",
        _ if matches!(finding.detail, Detail::Multiply { .. }) => {
            "every `wgmma` is in order with what touches its registers"
        }
        FindingKind::BarrierDivergence => "every thread of a block reaches each barrier",
        FindingKind::OutOfBounds | FindingKind::Misaligned | FindingKind::InvalidAddress => {
            "every access is aligned and inside its buffer"
        }
        FindingKind::Limit => "the launch is within the limits of a GPU",
        _ => "the kernel runs to its end",
    };
    let mut reason = finding.message();
    if matches!(finding.detail, Detail::Budget { .. }) {
        reason.push_str(&format!(
            " On {} an exercise stops a warp after {} instructions; a solution needs a few thousand.",
            trial.size,
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
    Failure::new(format!("{claim}, on {}", trial.size), reason).with(Sketch {
        text,
        picture: None,
    })
}

fn no_entry(entry: &str, reason: &str) -> String {
    format!("{reason}; the exercise launches `{entry}`, so the kernel has to keep that name")
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
    // What limits a product is no bandwidth.
    let moves = exercise.product.is_none();
    let device = Device::open()
        .ok()
        .filter(|device| moves && device.is_cuda())?;
    let size = exercise.size_near(Shape::new(TIMED, TIMED));
    let measure = || -> Result<String> {
        let trial = Trial::new(exercise, &device, size, Seed::draw())?;
        let options = TimingOptions::from(TimingMode::Cold);
        let rate = trial.time(kernel, options)?.gb_per_s(trial.bytes_moved());
        let half = trial.bytes_moved() / 2;
        let copy: GbPerS = device
            .time_copy(half, options)?
            .gb_per_s(trial.bytes_moved());
        Ok(format!(
            "{size} on {}: {rate}, {:.0} % of the device copy ({copy})",
            device.name(),
            rate.percent_of(copy)
        ))
    };
    Some(measure().unwrap_or_else(|error| format!("its bandwidth could not be measured: {error}")))
}
