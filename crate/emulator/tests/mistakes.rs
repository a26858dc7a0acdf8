//! Planted mistakes of the kinds that students make: each is found and named, and its corrected twin computes the right thing without a finding. The kernels are in `fail/`; `cargo run -p cornerturn --example mistakes` compiles them.
//!
//! The words of the findings are in `fail/*.expected`; `CORNERTURN_BLESS=1 cargo test -p cornerturn-emulator --test
//! mistakes` writes them again, to be read before they are committed.
#![allow(clippy::unwrap_used)]

#[path = "mistakes/catalogue.rs"]
mod catalogue;
mod common;
#[path = "mistakes/hardware.rs"]
mod hardware;
#[path = "mistakes/references.rs"]
mod references;

use catalogue::{Mistake, THEMES, load, mistakes, run};
use cornerturn_emulator::{Finding, FindingKind, SourceLine};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Instructions after which a mistake's warp counts as endless, and those that every corrected twin does with.
const ENDLESS: u64 = 1 << 16;
const ENOUGH: u64 = 1 << 23;

/// What a mistake leads to: the kinds and words of its findings, and what about them is not as it should be.
struct Seen {
    kinds: Vec<&'static str>,
    messages: Vec<String>,
    problems: Vec<String>,
}

fn see(mistake: &Mistake) -> Seen {
    let module = match load(mistake.theme, false) {
        Ok(module) => module,
        Err(error) => {
            // The only mistake that no module can hold is one over a limit.
            let expected = mistake.finds == ["limit"];
            let problems = if expected {
                vec![]
            } else {
                vec![error.to_string()]
            };
            return Seen {
                kinds: vec![FindingKind::Limit.name()],
                messages: vec![error.to_string()],
                problems,
            };
        }
    };
    let outcome = run(&module, &mistake.name, &mistake.launch, 1, ENDLESS);
    let findings = outcome.report.findings;
    let mut problems = Vec::new();
    let kinds: BTreeSet<&'static str> =
        findings.iter().map(|finding| finding.kind.name()).collect();
    let expected = if mistake.is_unseen {
        &[][..]
    } else {
        &mistake.finds
    };
    if !expected.iter().eq(kinds.iter().copied()) {
        problems.push(format!("expected {expected:?}, found {kinds:?}"));
    }
    for finding in findings
        .iter()
        .filter(|finding| !points_at(finding, mistake))
    {
        problems.push(format!("points elsewhere: {}", finding.message()));
    }
    for threads in [2, 5] {
        // Loaded again, with an empty heap.
        let Ok(module) = load(mistake.theme, false) else {
            continue;
        };
        let again = run(&module, &mistake.name, &mistake.launch, threads, ENDLESS)
            .report
            .findings;
        if again != findings {
            problems.push(format!("other findings with {threads} host threads"));
        }
    }
    Seen {
        kinds: kinds.into_iter().collect(),
        messages: findings.iter().map(Finding::message).collect(),
        problems,
    }
}

/// Whether a finding, or the other half of its race, is at a marked line.
fn points_at(finding: &Finding, mistake: &Mistake) -> bool {
    let marked = |source: &Option<SourceLine>| {
        let file = format!("{}.cu", mistake.theme);
        let marks = &mistake.marked;
        (source.as_ref()).is_some_and(|source| source.file == file && marks.contains(&source.line))
    };
    let other = finding.other.as_ref();
    finding.kind == FindingKind::Limit
        || marked(&finding.source)
        || other.is_some_and(|other| marked(&other.source))
}

/// Fails with all the problems at once.
fn no_problems(problems: &[String]) {
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn every_mistake_is_found_named_and_explained() {
    let bless = std::env::var_os("CORNERTURN_BLESS").is_some();
    let mut problems = Vec::new();
    for theme in THEMES {
        let mut text = String::new();
        for mistake in mistakes(theme) {
            let seen = see(&mistake);
            let name = &mistake.name;
            problems.extend(
                seen.problems
                    .iter()
                    .map(|problem| format!("{theme} {name}: {problem}")),
            );
            writeln!(text, "{name}").unwrap();
            for message in seen.messages {
                writeln!(text, "    {message}").unwrap();
            }
        }
        let path = format!("{}/tests/fail/{theme}.expected", env!("CARGO_MANIFEST_DIR"));
        if bless {
            std::fs::write(&path, &text).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            problems.push(format!(
                "{theme}: the words are not those of {path}; they are\n{text}"
            ));
        }
    }
    no_problems(&problems);
}

#[test]
fn no_corrected_twin_has_a_finding_and_all_compute_the_right_thing() {
    let mut problems = Vec::new();
    for theme in THEMES {
        let module = match load(theme, true) {
            Ok(module) => module,
            Err(error) => {
                problems.push(format!("{theme}: {error}"));
                continue;
            }
        };
        for mistake in mistakes(theme) {
            let outcome = run(&module, &mistake.name, &mistake.fixed, 0, ENOUGH);
            let findings = outcome.report.findings.iter().map(Finding::message);
            problems.extend(findings.map(|message| format!("{theme} {}: {message}", mistake.name)));
            let (position, reference) = &mistake.gives;
            let expected = references::expected(reference, &mistake.fixed);
            let found = &outcome.results[*position];
            if let Some(at) = (0..expected.len()).find(|at| found.get(*at) != Some(&expected[*at]))
            {
                problems.push(format!(
                    "{theme} {}: byte {at} of {} is {:?}, should be {}",
                    mistake.name,
                    expected.len(),
                    found.get(at),
                    expected[at]
                ));
            }
        }
    }
    no_problems(&problems);
}

#[test]
fn the_gpu_computes_the_same_and_compute_sanitizer_sees_no_more() {
    let record = hardware::read();
    let mut problems = Vec::new();
    let (mut seen, mut uncompared) = (Vec::new(), Vec::new());
    for theme in THEMES {
        let twins = load(theme, true).unwrap();
        for mistake in mistakes(theme) {
            let twin = run(&twins, &mistake.name, &mistake.fixed, 0, ENOUGH);
            if !mistake.is_compared {
                if record.agrees(&mistake, &twin).is_some() {
                    problems.push(format!("{}: the GPU has run it", mistake.name));
                }
                uncompared.push(mistake.name);
                continue;
            }
            match record.agrees(&mistake, &twin) {
                Some(true) => {}
                Some(false) => problems.push(format!("{}: other bits on the GPU", mistake.name)),
                None => problems.push(format!("{}: the GPU has not run it", mistake.name)),
            }
            problems.extend(record.stray(&mistake));
            let kinds = see(&mistake).kinds.join(", ");
            let reported = record.reported(&mistake);
            if kinds.is_empty() && !mistake.is_unseen && !reported.is_empty() {
                problems.push(format!("{}: only found by {reported}", mistake.name));
            }
            seen.push((mistake, twin, kinds));
        }
    }
    let page = record.comparison(&seen, &uncompared);
    let path = hardware::path("sanitizer.md");
    if std::env::var_os("CORNERTURN_BLESS").is_some() {
        std::fs::write(path, page).unwrap();
    } else if std::fs::read_to_string(&path).ok() != Some(page) {
        problems.push(format!("{path} is stale; bless it and read it"));
    }
    no_problems(&problems);
}

#[test]
fn every_file_is_a_theme_and_every_kernel_has_one_description() {
    let folder = format!("{}/tests/fail", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            Some(
                entry
                    .unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".cu")?
                    .to_string(),
            )
        })
        // Its kernels are launched by `fail.rs`.
        .filter(|name| name != "mistakes")
        .collect();
    files.sort();
    assert_eq!(files, THEMES);
    let all: Vec<Mistake> = THEMES.into_iter().flat_map(mistakes).collect();
    let names: BTreeSet<&str> = all.iter().map(|mistake| mistake.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "two mistakes have one name");
    for mistake in &all {
        let marks = !mistake.marked.is_empty() || mistake.finds == ["limit"];
        assert!(marks, "{} has no line marked as the mistake", mistake.name);
    }
    for theme in THEMES {
        let source = common::fixture(&format!("fail/{theme}.cu"));
        let kernels = source.matches("extern \"C\" __global__ void ").count();
        assert_eq!(kernels, mistakes(theme).len(), "{theme}");
    }
}

#[test]
fn the_ptx_was_made_from_the_sources_as_they_are() {
    for theme in THEMES {
        let hash = sha256(common::fixture(&format!("fail/{theme}.cu")).as_bytes());
        for fixed in [false, true] {
            let ptx = catalogue::ptx(theme, fixed);
            let stamp = ptx.lines().next().unwrap();
            assert!(
                stamp.contains(&format!("source={hash} ")),
                "the PTX of {theme} is stale; run `cargo run -p cornerturn --example mistakes`"
            );
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
