//! Grades a pipeline: what the host gives to streams for each part of an array. It must bring back the right numbers, without a race between operations, and let the copies and the kernel overlap. How its file is read is `script`'s, one run on the emulator `run`'s.

mod capture;
mod run;
mod script;
mod words;

use super::data::{Exercise, Pipeline};
use super::grading::{Failure, Grading, MOST_BYTES, Stop};
use super::seed::Seed;
use super::sketch::Sketch;
use cornerturn_plot as plot;
use cornerturn_runtime::kernel::Kernel;
use run::{Done, Run};
use script::Script;
use std::fmt;

/// Parts and numbers of a part in pipelines that a check draws: more parts than a file has calls, so that none lists them.
const PARTS: [usize; 2] = [28, 48];
const NUMBERS: [usize; 2] = [33, 700];
/// How many are drawn.
const DRAWN: usize = 3;
/// The most steps that are written out in a sketch.
const MOST_STEPS: usize = 24;

/// How much a pipeline is given: the last part may have fewer numbers than the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Load {
    parts: usize,
    numbers: usize,
    last: usize,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let Self {
            parts,
            numbers,
            last,
        } = *self;
        write!(f, "{parts} part{}", plural(parts))?;
        match parts {
            1 => write!(f, " of {last} number{}", plural(last)),
            _ => write!(
                f,
                " of {numbers} number{}, the last of {last}",
                plural(numbers)
            ),
        }
    }
}

/// Takes a pipeline through all steps.
pub(super) fn grade(grading: &mut Grading, asked: &Pipeline, source: &str) -> Result<(), Stop> {
    let (exercise, seed) = (grading.exercise, grading.terms.seed);
    let script = read(exercise, source)?;
    grading.passed(format!("the file can be read ({script})"));
    let kernel = Kernel::registered(&exercise.entry)?;
    let grid = |items: usize| exercise.grid(exercise.size([1, items]));
    let run = |load: Load| {
        let run = Run {
            script: &script,
            kernel: &kernel,
            places: asked.places,
            captured: asked.captured.as_deref(),
            block: exercise.block,
            grid: &grid,
        };
        let parts = drawn(load, seed);
        let done = run.done(&parts);
        done.map_err(|wrong| wrong.stop(exercise, source, load))
    };
    let loads = loads(exercise, seed);
    let mut all = Vec::with_capacity(loads.len());
    for (at, &load) in loads.iter().enumerate() {
        all.push((load, run(load)?));
        if at == 0 {
            grading.passed(format!("every number comes back, and is right, on {load}"));
        }
    }
    grading.passed(format!(
        "and on {} others, some of them drawn",
        loads.len() - 1
    ));
    if asked.captured.is_some() {
        grading.passed(capture::CAPTURED);
    }
    grading.passed("no race: events order whatever touches the same bytes");
    check_overlap(grading, asked, &all)
}

fn read(exercise: &Exercise, source: &str) -> Result<Script, Stop> {
    let claim = "the file can be read";
    if source.len() > MOST_BYTES {
        let reason = format!(
            "it has {} bytes, and {MOST_BYTES} are the most",
            source.len()
        );
        return Failure::new(claim, reason).stop();
    }
    Script::read(source).or_else(|malformed| {
        let reason = format!(
            "{}:{}: {}",
            exercise.file_name(),
            malformed.line,
            malformed.reason
        );
        Failure::new(claim, reason)
            .with(Sketch {
                text: line(exercise, source, malformed.line),
                picture: None,
            })
            .stop()
    })
}

/// Holds the longest chain of each run against what is asked for.
fn check_overlap(
    grading: &mut Grading,
    asked: &Pipeline,
    all: &[(Load, Done)],
) -> Result<(), Stop> {
    let more = asked.more_steps;
    let claim =
        format!("the longest chain of operations has at most one for each part, and {more} more");
    for (load, done) in all {
        let most = load.parts as u32 + more;
        if done.steps <= most {
            continue;
        }
        let reason = format!(
            "on {load}, there are {} operations of which each must wait for the one before, and {most} are asked for; {}",
            done.steps,
            asked.because.trim()
        );
        return Failure::new(claim, reason)
            .with(Sketch {
                text: steps(done),
                picture: Some(plot::timeline("What waits for what", &done.timeline)),
            })
            .stop();
    }
    let counted: Vec<String> = all
        .iter()
        .map(|(load, done)| format!("{} for {}", done.steps, load.parts))
        .collect();
    grading.passed(format!("{claim} ({} parts)", counted.join(", ")));
    Ok(())
}

/// The parts that each stream works on, step by step; nothing where that is too wide.
fn steps(done: &Done) -> String {
    let bars = &done.timeline.bars;
    if done.steps as usize > MOST_STEPS {
        return String::new();
    }
    let mut streams: Vec<&str> = Vec::new();
    for bar in bars {
        if !streams.contains(&bar.stream.as_str()) {
            streams.push(&bar.stream);
        }
    }
    let width = streams.iter().map(|name| name.len()).max().unwrap_or(0);
    let row = |stream: &&str| {
        let cell = |step: u32| {
            let at = bars
                .iter()
                .zip(&done.parts)
                .find(|(bar, _)| bar.stream == *stream && bar.end == f64::from(step));
            at.map_or("  .".to_string(), |(_, part)| format!("{part:>3}"))
        };
        let cells: String = (1..=done.steps).map(cell).collect();
        format!("{stream:<width$} {cells}\n")
    };
    let rows: String = streams.iter().map(row).collect();
    format!("which part each stream works on, step by step:\n{rows}")
}

/// The line of the participant's file, as a verdict shows it.
fn line(exercise: &Exercise, source: &str, number: usize) -> String {
    let text = number.checked_sub(1).and_then(|at| source.lines().nth(at));
    let text = text.unwrap_or_default().trim();
    let short: String = text.chars().take(120).collect();
    match short.is_empty() {
        true => String::new(),
        false => format!("{}:{number}: {short}\n", exercise.file_name()),
    }
}

/// What a check tries: what is shown, what is named, what is drawn.
fn loads(exercise: &Exercise, seed: Seed) -> Vec<Load> {
    let mut numbers = seed.numbers("pipelines");
    let named: Vec<[usize; 2]> = exercise.named().collect();
    let drawn =
        (0..DRAWN).map(|_| [PARTS, NUMBERS].map(|[least, most]| numbers.within(least, most)));
    let all: Vec<[usize; 2]> = named.into_iter().chain(drawn).collect();
    let load = |[parts, of_one]: [usize; 2]| Load {
        parts,
        numbers: of_one,
        last: numbers.within(1, of_one),
    };
    all.into_iter().map(load).collect()
}

/// The numbers of each part.
fn drawn(load: Load, seed: Seed) -> Vec<Vec<u32>> {
    let mut numbers = seed.numbers(&format!("numbers of {load}"));
    let part = |at: usize| {
        let count = if at + 1 == load.parts {
            load.last
        } else {
            load.numbers
        };
        (0..count).map(|_| numbers.next() as u32).collect()
    };
    (0..load.parts).map(part).collect()
}

#[cfg(test)]
mod tests;
