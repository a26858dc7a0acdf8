//! Pipelines that are graded: what is told of each mistake, and what is drawn.

use super::*;
use crate::{Terms, Verdict, Workshop};

const PIPELINE: &str = "for each part:\n    if part >= 3: up.wait(away[part - 3])\n    up.write(part)\n    up.record(there)\n    \
    compute.wait(there)\n    compute.launch(part)\n    compute.record(done)\n    down.wait(done)\n    down.read(part)\n    \
    down.record(away[part])\n";

fn graded(body: &str) -> Verdict {
    let source = format!("streams up, compute, down\nevents there, done, away\n{body}");
    let workshop = Workshop::load().unwrap();
    let terms = Terms {
        seed: Seed(5),
        participant: String::new(),
    };
    let exercise = workshop.get("missing_event").unwrap();
    exercise.check_under(&terms, &source).unwrap()
}

#[test]
fn a_pipeline_passes_with_its_chains_counted() {
    let verdict = graded(PIPELINE);
    let text = verdict.to_string();
    assert!(verdict.passed, "{text}");
    assert!(
        text.contains("(9 for 7, 3 for 1, 4 for 2, 5 for 3"),
        "{text}"
    );
}

#[test]
fn a_race_names_both_lines_and_the_place() {
    let verdict = graded(&PIPELINE.replace("    if part >= 3: up.wait(away[part - 3])\n", ""));
    let text = verdict.failure_text();
    for words in [
        "no race between operations, on 7 parts of 1000 numbers, the last of ",
        "the copy back of part 0 (line 10) on stream `down` reads bytes 0..4000 of `place 0`",
        "the copy to the GPU of part 3 (line 4) on stream `up` writes them",
        "let `up` wait for it",
        "1 other race is not shown",
        "missing_event.streams:4: up.write(part)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains(".rs"), "{text}");
}

#[test]
fn a_chain_that_is_too_long_is_drawn_by_steps() {
    let verdict = graded(
        &PIPELINE
            .replace(">= 3", ">= 1")
            .replace("part - 3", "part - 1"),
    );
    let text = verdict.failure_text();
    for words in [
        "there are 21 operations of which each must wait for the one before, and 9 are asked for",
        "up        0  .  .  1",
        "compute   .  0  .  .  1",
        "down      .  .  0  .  .  1",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(verdict.picture.is_some());
}

#[test]
fn other_mistakes_have_their_own_words() {
    for (from, to, words) in [
        (
            "    down.read(part)\n",
            "",
            "no `read` has copied part 0 back",
        ),
        (
            "    down.read(part)\n",
            "    down.read(part)\n    down.read(part)\n",
            "line 12 copies part 0 back a second time",
        ),
        ("    compute.launch(part)\n", "", "it is as it was sent"),
        (
            "    compute.launch(part)\n",
            "    compute.launch(part)\n    compute.launch(part)\n",
            "neither what was sent nor what another part becomes",
        ),
        (
            "    up.write(part)\n",
            "    if part < 3: up.write(part)\n",
            "and is ",
        ),
        (
            "    down.record(away[part])\n",
            "",
            "`away[0]`, for part 3, and nobody has recorded that by then",
        ),
        (
            "if part >= 3: ",
            "",
            "`away[part - 3]` is of a part before the first",
        ),
        (
            "up.write",
            "upp.write",
            "missing_event.streams:5: there is no stream `upp`",
        ),
    ] {
        let verdict = graded(&PIPELINE.replacen(from, to, 1));
        let text = verdict.failure_text();
        assert!(!verdict.passed && text.contains(words), "{words}: {text}");
    }
    let long = " ".repeat(MOST_BYTES + 1);
    assert!(graded(&long).failure_text().contains("are the most"));
}

#[test]
fn loads_are_named_and_drawn_and_another_seed_has_other_numbers() {
    let workshop = Workshop::load().unwrap();
    let exercise = workshop.get("missing_event").unwrap();
    for seed in 0..50 {
        let loads = loads(exercise, Seed(seed));
        assert_eq!(loads.len(), exercise.named().count() + DRAWN);
        assert!(
            loads
                .iter()
                .all(|load| (1..=load.numbers).contains(&load.last))
        );
        // More parts than places, so that places are used again.
        assert!(loads.iter().filter(|load| load.parts > 7).count() >= DRAWN);
        let parts = drawn(loads[0], Seed(seed));
        assert_eq!(parts.len(), 7);
        assert_ne!(parts[0], parts[3]);
        assert_ne!(parts, drawn(loads[0], Seed(seed + 1)));
    }
}

#[test]
fn of_a_capture_it_is_told_what_the_graph_lacks() {
    let workshop = Workshop::load().unwrap();
    let exercise = workshop.get("captured").unwrap();
    let of = |source: &str| exercise.check_under(&Terms::default(), source).unwrap();
    let solution = exercise.solution();
    let passed = of(&solution);
    assert!(passed.passed, "{passed}");
    assert!(passed.to_string().contains("captured into one graph"));
    assert!(passed.to_string().contains("(9 for 7, 3 for 1"), "{passed}");
    let (fork, begin) = (
        "    if part == 0: up.wait(begin)\n",
        "    if part == 0: graph.record(begin)\n",
    );
    let join = "    graph.wait(away[part])\n";
    let without = |lines: &[&str]| {
        let source = solution.clone();
        lines
            .iter()
            .fold(source, |source, line| source.replace(line, ""))
    };
    let waiting = "    down.read(part)\n    device.synchronize()\n";
    for (answer, words) in [
        (without(&[join]), "on stream `up` is not waited for"),
        (
            without(&[fork, begin, join, "graph, "]),
            "there is no stream `graph`",
        ),
        (
            without(&[fork, begin, join]),
            "nothing was queued while it was captured",
        ),
        (
            solution.replace("    down.read(part)\n", waiting),
            "all calls can be captured into one graph",
        ),
    ] {
        let verdict = of(&answer);
        let text = verdict.failure_text();
        assert!(!verdict.passed && text.contains(words), "{words}: {text}");
    }
}
