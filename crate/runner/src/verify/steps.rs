//! The steps of `verify`, in the order in which those of a lane run: what is quick or breaks often comes first, and
//! among those of either lane what takes longest.

use super::{
    Context, Lane, Outcome, Step, agreement, axe, browser, fuzzing, laboratory, links, pages,
    preview, records, systems, webassembly,
};
use crate::book::failure;
use crate::process::run_logged;
use crate::{exit, output, toolchain, wheels};
use cornerturn_preprocessor::check_stored;
use std::path::PathBuf;
use std::process::Command;

/// What the small binary may have: it is carried to machines with a GPU. Our own compiler is in it, what serves pages, and
/// the model of time.
const MOST_BYTES: u64 = 19_000_000;

/// Where sources are only checked: in a folder of its own that does not keep waiting who builds.
const CHECKED: &str = "target/verify/checked";

/// The package of the notebooks' kernel.
const KERNEL: &str = "cornerturn-kernel";

/// What is tested with overflow checks, and does without them elsewhere, as it has to be quick. The other libraries that
/// run kernels have them in every build.
const EMULATOR: &str = "cornerturn-emulator";

/// All of them.
pub const STEPS: [Step; 26] = [
    in_lane(
        Lane::First,
        "compiler",
        "CUDA C++ can be compiled, so that no test is left out",
        install_compiler,
    ),
    step("format", "the sources are formatted", |context, name| {
        cargo(context, name, &["fmt", "--all", "--check"])
    }),
    step(
        "lints",
        "clippy warns of nothing, in any target",
        |context, name| {
            let all = ["clippy", "--release", "--workspace", "--all-targets"];
            let flags = ["--target-dir", CHECKED, "--", "-D", "warnings"];
            cargo(context, name, &[&all[..], &flags].concat())
        },
    ),
    step(
        "small-binary",
        "the binary without the book compiles without a warning, and is small",
        small_binary,
    ),
    // With the book's profile, so that nothing is built twice.
    step(
        "tests",
        "the tests pass of all that builds the book, and each instruction gives what a GPU gave",
        tests,
    ),
    step(
        "checked-tests",
        "those of the emulator and what is within the compiler pass, with overflow checks",
        checked_tests,
    ),
    step("docs", "the documentation builds without a warning", docs),
    in_lane(
        Lane::Either,
        "fuzz",
        "thousands of texts and kernels that libFuzzer changes break nothing",
        fuzzing::check,
    ),
    in_lane(
        Lane::Either,
        "wasm",
        "what runs in pages is small, quick, and gives under Node.js what it gives here",
        webassembly::check,
    ),
    in_lane(
        Lane::Either,
        "systems",
        "what runs kernels compiles for Linux on aarch64, macOS and Windows",
        systems::check,
    ),
    in_lane(
        Lane::Either,
        "kernels",
        "the committed PTX is what the sources give, and old drivers take it",
        |c, name| own(c, name, &["kernels", "--check"]),
    ),
    in_lane(
        Lane::Either,
        "exercises",
        "starters and wrong answers fail for their reason, solutions pass, nothing trivial does, without NVRTC too",
        grade_exercises,
    ),
    in_lane(
        Lane::Either,
        "records",
        "no record is stale, and the emulator counts as the profiler did",
        check_records,
    ),
    in_lane(
        Lane::Either,
        "notebooks",
        "the notebooks are as the chapters say, and the chapters as the records",
        |context, name| {
            own(context, "values", &["book", "--values"])?;
            own(context, name, &["notebooks", "--check"])
        },
    ),
    in_lane(
        Lane::Cells,
        "book",
        "the book builds from nothing, every cell run",
        |context, name| own(context, name, &["book", "--fresh"]),
    ),
    in_lane(
        Lane::Cells,
        "links",
        "what the pages point at is there, and nothing is loaded from elsewhere",
        check_links,
    ),
    in_lane(
        Lane::Cells,
        "pages",
        "a browser draws every figure and has no error to tell, and the pages are light and within everybody's reach",
        look_at_pages,
    ),
    in_lane(
        Lane::Cells,
        "laboratory",
        "kernels run, break and are mended in the pages, in Chromium and Firefox",
        try_laboratory,
    ),
    in_lane(Lane::Cells, "lab", "JupyterLab is set up", |c, name| {
        own(c, name, &["lab", "--setup-only"])
    }),
    in_lane(
        Lane::Cells,
        "kernel-tests",
        "the tests of the notebooks' kernel pass",
        kernel_tests,
    ),
    in_lane(
        Lane::Cells,
        "run-notebooks",
        "every fifth notebook runs in JupyterLab's kernel, and each cell gives there what its page shows",
        // `cornerturn notebooks --run` runs all of them, in five times the time.
        |context, name| own_told(context, name, &["notebooks", "--run", "sample"]),
    ),
    in_lane(
        Lane::Cells,
        "edit-notebook",
        "a kernel that is edited in a notebook compiles live",
        |context, name| own_told(context, name, &["notebooks", "--run", "edited"]),
    ),
    in_lane(
        Lane::Cells,
        "fault-notebook",
        "a notebook goes on after a kernel that faults",
        |context, name| own_told(context, name, &["notebooks", "--run", "faulting"]),
    ),
    in_lane(
        Lane::Cells,
        "race-notebook",
        "a kernel that loses its barrier fails in a notebook, though its result is right",
        |context, name| own_told(context, name, &["notebooks", "--run", "racing"]),
    ),
    in_lane(
        Lane::Cells,
        "notebook-kernel",
        "interrupts keep what they can, a failed cell ends a run, and names are explained",
        |context, name| own_told(context, name, &["notebooks", "--run", "behaviour"]),
    ),
    // Last of its lane: it waits for the step `tests`, which runs the binary that this builds otherwise.
    in_lane(
        Lane::Cells,
        "wheel",
        "what is installed without building is small, and works where there is no clone",
        make_wheel,
    ),
];

type Run = fn(&Context, &str) -> anyhow::Result<Outcome>;

const fn step(name: &'static str, claim: &'static str, run: Run) -> Step {
    in_lane(Lane::Sources, name, claim, run)
}

const fn in_lane(lane: Lane, name: &'static str, claim: &'static str, run: Run) -> Step {
    Step {
        name,
        claim,
        lane,
        run,
    }
}

fn passed() -> anyhow::Result<Outcome> {
    Ok(Outcome::Passed(String::new()))
}

fn cargo(context: &Context, name: &str, arguments: &[&str]) -> anyhow::Result<Outcome> {
    let what = format!("cargo {}", arguments.join(" "));
    run_logged(&what, context.cargo().args(arguments), &context.log(name))?;
    passed()
}

fn install_compiler(context: &Context, _: &str) -> anyhow::Result<Outcome> {
    toolchain::prepare_compiler(&context.root)?;
    wheels::NVCC.install(&context.root)?;
    Ok(Outcome::Passed(cornerturn::compiler()?.to_string()))
}

/// Builds what is attached to a release. The libraries are those of the other steps, features and all, so the symbols go
/// from the binary alone. That it needs none of the book's is what the step `systems` checks.
fn small_binary(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    let small = [
        "rustc",
        "--release",
        "-p",
        "cornerturn-runner",
        "--bin",
        "cornerturn",
    ];
    let flags = [
        "--no-default-features",
        "--features",
        "book-libraries",
        "--",
        "-Cstrip=symbols",
        // Here its size counts; else it is not optimised, which is felt by nobody who runs it and by all who build it.
        "-Copt-level=s",
        "-Dwarnings",
    ];
    let _built = context.hold_built();
    cargo(context, name, &[&small[..], &flags].concat())?;
    let binary = context.root.join("target/release/cornerturn");
    let bytes = std::fs::metadata(&binary)?.len();
    let told = format!("{:.1} MB", bytes as f64 / 1e6);
    match bytes < MOST_BYTES {
        true => Ok(Outcome::Passed(told)),
        false => Err(exit::wrong(format!(
            "it has {told}, more than {MOST_BYTES} bytes"
        ))),
    }
}

fn tests(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    let mut all = vec!["test", "--release", "--no-fail-fast", "--workspace"];
    // With the kernel all would be built once more, with the features of what evcxr needs.
    for package in [EMULATOR, KERNEL] {
        all.extend(["--exclude", package]);
    }
    let mut command = context.cargo();
    command.args(&all);
    // What the compiler writes is given to NVIDIA's assembler, where the step `compiler` has installed it.
    if let Some(ptxas) = wheels::find(&wheels::MACHINE_CODE.path(&context.root), "ptxas") {
        command.env("CORNERTURN_PTXAS", ptxas);
    }
    let what = format!("cargo {}", all.join(" "));
    let _built = context.hold_built();
    run_logged(&what, &mut command, &context.log(name))?;
    passed()
}

fn kernel_tests(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    cargo(context, name, &["test", "--release", "-p", KERNEL])
}

fn checked_tests(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    cargo(context, name, &["test", "--no-fail-fast", "-p", EMULATOR])?;
    // The few within the emulator and the compiler are run only where they are named: the libraries are compiled once
    // more for them, and that takes a quarter of the time where they need not be fast.
    let own = [
        "test",
        "-p",
        EMULATOR,
        "-p",
        "cornerturn-compiler",
        "--lib",
        "--config",
        "profile.dev.package.cornerturn-emulator.opt-level=0",
        "--config",
        "profile.dev.package.cornerturn-compiler.opt-level=0",
    ];
    cargo(context, &format!("{name}-lib"), &own)
}

/// Grades all answers as this machine compiles them, and once more as one does that has no NVRTC.
fn grade_exercises(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    let verify = ["exercise", "verify"];
    let told = own_told(context, name, &verify)?;
    let ours = [&verify[..], &["--compiler", "cornerturn"]].concat();
    own(context, &format!("{name}-cornerturn"), &ours)?;
    Ok(told)
}

/// A verb of this binary, run as a user would.
fn own(context: &Context, name: &str, arguments: &[&str]) -> anyhow::Result<Outcome> {
    let mut command = Command::new(&context.program);
    command.args(arguments).current_dir(&context.root);
    run_logged(
        &format!("cornerturn {}", arguments.join(" ")),
        &mut command,
        &context.log(name),
    )?;
    passed()
}

/// As `own`; what the verb says is told too.
fn own_told(context: &Context, name: &str, arguments: &[&str]) -> anyhow::Result<Outcome> {
    own(context, name, arguments)?;
    let said = std::fs::read_to_string(context.log(name))?;
    let lines: Vec<&str> = said.lines().collect();
    Ok(Outcome::Passed(lines.join("\n      ")))
}

/// Why what needs the pages' laboratory is skipped, if there is none.
fn without_laboratory() -> anyhow::Result<Option<Outcome>> {
    let why = || {
        Outcome::Skipped(format!(
            "the pages have no laboratory, as this toolchain has no {0}: `rustup target add {0}` adds it",
            toolchain::PAGE_TARGET
        ))
    };
    Ok((!toolchain::has_page_target()?).then(why))
}

/// Packs the pages that the step `book` has built.
fn make_wheel(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    book_pages(context)?;
    if let Some(skipped) = without_laboratory()? {
        return Ok(skipped);
    }
    let _built = context.hold_built();
    own_told(context, name, &["package", "--try"])
}

fn docs(context: &Context, name: &str) -> anyhow::Result<Outcome> {
    let mut command = context.cargo();
    command.args(["doc", "--release", "--no-deps", "--workspace"]);
    command.args(["--target-dir", CHECKED]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    run_logged("cargo doc", &mut command, &context.log(name))?;
    passed()
}

fn check_records(context: &Context, _: &str) -> anyhow::Result<Outcome> {
    let checked = records::check(&context.root.join("book").join("results"))?;
    if checked.records == 0 {
        return Err(exit::wrong(
            "book/results holds no record: `cornerturn record` on a machine with a GPU makes them",
        ));
    }
    let stored = check_stored(&context.root).map_err(failure)?;
    let (records, counters) = (checked.records, checked.counters);
    let (files, cells, earlier) = (stored.files, stored.fresh_cells, stored.of_earlier_library);
    let mut counted = format!(
        "{records} records, {counters} counters of the profiler, outputs of {cells} cells in {files} files, \
         {earlier} of them by an earlier library"
    );
    // A change of a chapter makes its outputs stale, so that this cannot fail every such change.
    if let Some(warning) = stored.warning() {
        counted.push_str(&format!("\n    WARNING: {warning}"));
    }
    let agreement = agreement::compare(&context.root.join("book").join("results"))?;
    counted.push_str(&format!(
        ", {} bandwidths of cells beside the record's",
        agreement.compared
    ));
    // A GPU has good and bad moments; what is far apart is looked into, and measured again.
    for apart in agreement.apart {
        counted.push_str(&format!("\n    WARNING: {apart}"));
    }
    verdict(checked.problems, counted)
}

fn book_pages(context: &Context) -> anyhow::Result<PathBuf> {
    let pages = context.root.join("target").join("book").join("html");
    match pages.join("index.html").is_file() {
        true => Ok(pages),
        false => Err(exit::wrong(
            "there are no pages: the step `book` builds them",
        )),
    }
}

fn check_links(context: &Context, _: &str) -> anyhow::Result<Outcome> {
    let mut checked = links::check(&book_pages(context)?)?;
    checked.problems.extend(preview::check(&context.root)?);
    verdict(
        checked.problems,
        format!("{} links on {} pages", checked.links, checked.pages),
    )
}

fn look_at_pages(context: &Context, _: &str) -> anyhow::Result<Outcome> {
    let Some(program) = browser::find() else {
        return Ok(Outcome::Skipped(
            "no browser is installed: Debian's package chromium would do, or set CORNERTURN_BROWSER".into(),
        ));
    };
    let work = context.root.join("target").join("verify");
    let profile = work.join(format!("browser-{}", std::process::id()));
    let (pages, screenshots) = (book_pages(context)?, context.screenshots.as_deref());
    let axe = axe::script(&context.root)?;
    let wanted = pages::Look {
        program: &program,
        profile: &profile,
        root: &pages,
        screenshots,
        axe: Some(&axe),
    };
    let seen = pages::look(&wanted, |page| output::progress(&format!("  {page}")))?;
    let counted = format!(
        "{} figures on {} pages, {} ways each; axe-core finds nothing serious",
        seen.figures, seen.pages, seen.views
    );
    if seen.figures == 0 && seen.problems.is_empty() {
        return Err(exit::wrong("no page has a figure"));
    }
    verdict(seen.problems, counted)
}

fn try_laboratory(context: &Context, _: &str) -> anyhow::Result<Outcome> {
    if let Some(skipped) = without_laboratory()? {
        return Ok(skipped);
    }
    let work = context.root.join("target").join("verify");
    let tried = laboratory::try_all(&book_pages(context)?, &work, &context.program)?;
    let told = [tried.told.clone(), tried.missing]
        .concat()
        .join("\n      ");
    Ok(match tried.told.is_empty() {
        true => Outcome::Skipped(told),
        false => Outcome::Passed(told),
    })
}

/// Passed if there is no problem; else failed with all of them.
fn verdict(problems: Vec<String>, counted: String) -> anyhow::Result<Outcome> {
    if problems.is_empty() {
        return Ok(Outcome::Passed(counted));
    }
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("\n    {problem}"))
        .collect();
    Err(exit::wrong(format!(
        "{} mistakes:{}",
        lines.len(),
        lines.concat()
    )))
}
