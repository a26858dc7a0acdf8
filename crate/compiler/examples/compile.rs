//! Compiles files of CUDA C++: `cargo run -p cornerturn-compiler --example compile -- FILE.cu [ARCH [ENTRY]]`, PTX to the output:
//! of the kernel ENTRY, or of all. With `--after PASS` the kernels go there as they are after each run of that pass, or as they
//! are `lower`ed; with `--time-passes` how long each pass took; `--passes` tells what passes there are, in their order.

use cornerturn_compiler::{Inspect, NoFiles, Options, Snapshot, compile_watched, passes};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const USAGE: &str =
    "usage: compile [--after PASS | --time-passes] FILE.cu [ARCH [ENTRY]], or compile --passes";

/// What is shown of the passes.
struct Shown {
    after: Option<String>,
    started: Instant,
    times: BTreeMap<&'static str, (u32, Duration)>,
}

impl Inspect for Shown {
    fn before(&mut self, _pass: &'static str, _kernel: &Snapshot<'_>) {
        self.started = Instant::now();
    }

    fn after(&mut self, pass: &'static str, kernel: &Snapshot<'_>) {
        let (times, took) = self.times.entry(pass).or_default();
        (*times, *took) = (*times + 1, *took + self.started.elapsed());
        if self.after.as_deref() == Some(pass) {
            println!("// after {pass}, for the {times}. time\n{}", kernel.text());
        }
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map(|at| arguments.remove(at)).is_some()
    };
    let (wants_passes, wants_times) = (flag("--passes"), flag("--time-passes"));
    if wants_passes {
        for pass in passes() {
            println!("{:32} {}", pass.name, pass.does);
        }
        return;
    }
    let at = arguments.iter().position(|argument| argument == "--after");
    let after = at.and_then(|at| {
        arguments.remove(at);
        (at < arguments.len()).then(|| arguments.remove(at))
    });
    let mut arguments = arguments.into_iter();
    let (Some(file), true) = (arguments.next(), at.is_some() == after.is_some()) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let options = Options {
        arch: arguments.next().unwrap_or_else(|| "compute_75".to_string()),
        entry: arguments.next(),
        ..Options::default()
    };
    let source = match std::fs::read_to_string(&file) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("{file}: {error}");
            std::process::exit(2);
        }
    };
    let name = file.rsplit('/').next().unwrap_or(&file);
    let mut shown = Shown {
        after,
        started: Instant::now(),
        times: BTreeMap::new(),
    };
    match compile_watched(&source, name, &options, &NoFiles, Some(&mut shown)) {
        Ok(compiled) => {
            eprint!("{}", compiled.warnings);
            if shown.after.is_none() && !wants_times {
                println!("{}", compiled.ptx);
            }
        }
        Err(diagnostics) => {
            eprint!("{diagnostics}");
            std::process::exit(1);
        }
    }
    if wants_times {
        let mut times: Vec<_> = shown.times.into_iter().collect();
        times.sort_by_key(|(_, (_, took))| std::cmp::Reverse(*took));
        for (pass, (times, took)) in times {
            println!("{:9.1} us {times:4} times {pass}", took.as_secs_f64() * 1e6);
        }
    }
}
