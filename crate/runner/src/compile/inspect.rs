//! What `compile` shows of Corner Turn's own compiler on the way to PTX: tokens, tree, kernels between two passes, and how long passes
//! take. What these look like is package `cornerturn-compiler`'s.

use crate::exit;
use cornerturn::compile::SourceFile;
use cornerturn_compiler::{
    Diagnostics, Inspect, LOWERED, Options, Snapshot, Stage, compile_watched, pass, passes, stage,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What is written of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Emit {
    /// The tokens, with directives obeyed, one a line: its place, its kind, and what it says
    Tokens,
    /// The tree that the parser makes of them: a line for each declaration and statement
    Tree,
    /// The kernels in the compiler's intermediate representation, behind the last pass or that of --after
    Ir,
    /// PTX
    Ptx,
}

/// How to look into the compiler.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Asked {
    /// What to write; all but ptx is of Corner Turn's own compiler, whichever is chosen [default: ptx]
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["json", "time_passes"])]
    emit: Option<Emit>,

    /// Write the kernels as they are behind each run of this pass, or behind `lower`, before the first one; --passes lists them
    #[arg(long, value_name = "PASS", conflicts_with_all = ["json", "time_passes"])]
    after: Option<String>,

    /// Look at this kernel alone, by its name in PTX; with --emit ir, --after or --time-passes
    #[arg(long, value_name = "KERNEL")]
    entry: Option<String>,

    /// List the passes of Corner Turn's own compiler, each with what it does, needs and keeps, and compile nothing
    #[arg(long, conflicts_with_all = ["file", "json", "emit", "after", "time_passes", "out"])]
    pub passes: bool,

    /// Write how often each pass of Corner Turn's own compiler ran and how long it took, in place of the PTX
    #[arg(long, conflicts_with = "json")]
    time_passes: bool,
}

/// What of it is shown.
enum Shown<'a> {
    Stage(Stage),
    Kernels { after: Option<&'a str> },
    Times,
}

impl Asked {
    /// What is shown in place of PTX, if anything.
    fn shown(&self) -> anyhow::Result<Option<Shown<'_>>> {
        let after = self.after.as_deref();
        if let Some(name) = after.filter(|name| *name != LOWERED) {
            pass(name).map_err(|error| {
                exit::usage(format!("{error}; `cornerturn compile --passes` lists them"))
            })?;
        }
        let shown = match (self.emit, after) {
            (Some(Emit::Tokens), None) => Some(Shown::Stage(Stage::Tokens)),
            (Some(Emit::Tree), None) => Some(Shown::Stage(Stage::Tree)),
            (Some(Emit::Ir), _) | (None, Some(_)) => Some(Shown::Kernels { after }),
            (Some(_), Some(_)) => {
                let why =
                    "--after shows kernels between two passes: leave --emit out, or say --emit ir";
                return Err(exit::usage(why));
            }
            (_, None) => self.time_passes.then_some(Shown::Times),
        };
        let is_of_kernels = matches!(shown, Some(Shown::Kernels { .. } | Shown::Times));
        if self.entry.is_some() && !is_of_kernels {
            let why =
                "--entry goes with --emit ir, --after or --time-passes: PTX is of all kernels";
            return Err(exit::usage(why));
        }
        Ok(shown)
    }

    /// What is asked for in place of PTX, with the compiler's warnings; its messages where the source does not get so far.
    pub fn of(
        &self,
        file: &SourceFile,
        options: Options,
    ) -> anyhow::Result<Option<Result<(String, String), Diagnostics>>> {
        let Some(shown) = self.shown()? else {
            return Ok(None);
        };
        let source = file.text()?;
        let options = Options {
            entry: self.entry.clone(),
            ..options
        };
        let name = file.name();
        Ok(Some(match shown {
            Shown::Stage(which) => stage(which, &source, &name, &options, file),
            Shown::Kernels { after } => {
                let mut kernels = Kernels::of(after);
                let made = compile_watched(&source, &name, &options, file, Some(&mut kernels));
                made.map(|compiled| (kernels.text(), compiled.warnings))
            }
            Shown::Times => {
                let mut times = Times::new();
                let made = compile_watched(&source, &name, &options, file, Some(&mut times));
                let all = times.begun.elapsed();
                made.map(|compiled| (times.text(all), compiled.warnings))
            }
        }))
    }
}

/// All passes: of each what it does, needs and keeps.
pub fn table() -> String {
    let mut text = String::new();
    for pass in passes() {
        let _ = writeln!(text, "{:32} {}", pass.name, pass.does);
        let needs = match pass.needs {
            [] => "needs no other".to_string(),
            needs => format!("needs {}", needs.join(", ")),
        };
        let keeps = match pass.keeps_graph {
            true => "keeps the control-flow graph",
            false => "keeps nothing",
        };
        let _ = writeln!(text, "{:32} {needs}; {keeps}", "");
    }
    text
}

/// Keeps kernels as text: behind a pass, each time, or the last of each.
struct Kernels<'a> {
    after: Option<&'a str>,
    /// Of each kernel the text, and how often the pass ran on it.
    texts: Vec<(String, usize, String)>,
}

impl<'a> Kernels<'a> {
    fn of(after: Option<&'a str>) -> Self {
        let texts = Vec::new();
        Self { after, texts }
    }

    fn text(&self) -> String {
        if let (Some(after), []) = (self.after, &self.texts[..]) {
            return format!("// {after} did not run\n");
        }
        let mut text = String::new();
        for (_, run, kernel) in &self.texts {
            if let Some(after) = self.after {
                let _ = writeln!(text, "// behind {after}, run {run}");
            }
            let _ = writeln!(text, "{kernel}");
        }
        text
    }
}

impl Inspect for Kernels<'_> {
    fn restart(&mut self) {
        self.texts.clear();
    }

    fn after(&mut self, pass: &'static str, kernel: &Snapshot<'_>) {
        let name = kernel.kernel();
        if self.after == Some(pass) {
            let runs = self.texts.iter().filter(|(known, ..)| known == name);
            let run = runs.count() + 1;
            self.texts.push((name.to_string(), run, kernel.text()));
        }
    }

    fn finished(&mut self, kernel: &Snapshot<'_>) {
        if self.after.is_none() {
            self.texts
                .push((kernel.kernel().to_string(), 1, kernel.text()));
        }
    }
}

/// How long passes take.
struct Times {
    begun: Instant,
    /// When the pass began that runs now.
    started: Instant,
    passes: BTreeMap<&'static str, (u32, Duration)>,
}

impl Times {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            started: now,
            passes: BTreeMap::new(),
        }
    }

    /// The longest first, then what is none of the passes.
    fn text(self, all: Duration) -> String {
        let share = |took: Duration| 100.0 * took.as_secs_f64() / all.as_secs_f64();
        let mut text = String::new();
        let mut row = |runs: &str, took: Duration, name: &str| {
            let us = took.as_secs_f64() * 1e6;
            let _ = writeln!(text, "{us:10.1} us {:5.1} % {runs:>5}  {name}", share(took));
        };
        let mut passes: Vec<_> = self.passes.into_iter().collect();
        passes.sort_by_key(|(_, (_, took))| std::cmp::Reverse(*took));
        let in_passes: Duration = passes.iter().map(|(_, (_, took))| took).sum();
        for (pass, (runs, took)) in passes {
            row(&format!("{runs}x"), took, pass);
        }
        row("", all.saturating_sub(in_passes), "besides passes");
        row("", all, "in all");
        text
    }
}

impl Inspect for Times {
    fn before(&mut self, _pass: &'static str, _kernel: &Snapshot<'_>) {
        self.started = Instant::now();
    }

    fn after(&mut self, pass: &'static str, _kernel: &Snapshot<'_>) {
        if pass != LOWERED {
            let (runs, took) = self.passes.entry(pass).or_default();
            (*runs, *took) = (*runs + 1, *took + self.started.elapsed());
        }
    }
}
