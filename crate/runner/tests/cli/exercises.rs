//! The verb `exercise` from outside: a participant's way through the workshop, and what may go wrong on it.

use crate::support::Scratch;
use cornerturn::exercise::Workshop;
use serde_json::Value;

fn progress(scratch: &Scratch) -> Value {
    serde_json::from_slice(&scratch.read("workshop/progress.json")).unwrap()
}

/// Writes the repository's own variant of an exercise as the participant's.
fn write(scratch: &Scratch, id: &str, variant: &str) {
    let workshop = Workshop::load().unwrap();
    let source = workshop.get(id).unwrap().variant(variant).unwrap();
    scratch.write(&format!("workshop/{id}.cu"), source);
}

#[test]
fn a_participant_starts_fails_asks_passes_and_sees_the_solution() {
    let scratch = Scratch::new("exercise-way");
    let listed = scratch.run(&["exercise", "list"]);
    assert_eq!(listed.status, 0, "{listed:?}");
    assert!(
        listed.stdout.contains("padding") && listed.stdout.contains("next: `"),
        "{listed:?}"
    );
    assert!(scratch.files().is_empty(), "list writes nothing");
    scratch
        .run(&["exercise", "check", "padding"])
        .fails(2, &["no folder workshop", "exercise start"]);

    let started = scratch.run(&["exercise", "start", "padding"]);
    assert_eq!(started.status, 0, "{started:?}");
    assert!(
        started.stdout.contains("exercise check padding"),
        "{started:?}"
    );
    let failed = scratch.run(&["exercise", "check", "padding"]);
    assert_eq!(failed.status, 1, "{failed:?}");
    assert!(
        failed.stdout.contains("exercise hint padding"),
        "{failed:?}"
    );
    scratch
        .run(&["exercise", "solution", "padding"])
        .fails(2, &["not passed", "--show-anyway"]);
    for level in ["1", "2", "3", "3"] {
        let hint = scratch.run(&["exercise", "hint", "padding"]);
        assert!(
            hint.stdout.starts_with(&format!("hint {level} of 3: ")),
            "{hint:?}"
        );
    }
    write(&scratch, "padding", "solution");
    let passed = scratch.run(&["exercise", "check", "workshop/padding.cu", "--json"]);
    assert_eq!(passed.status, 0, "{passed:?}");
    assert_eq!(passed.json()[0]["passed"], true);
    let entry = &progress(&scratch)["exercises"]["padding"];
    assert_eq!(
        (&entry["hints"], &entry["attempts"]),
        (&3.into(), &2.into())
    );
    let solution = scratch.run(&["exercise", "solution", "padding"]);
    assert_eq!(
        solution.stdout.as_bytes(),
        scratch.read("workshop/padding.cu")
    );
    assert_eq!(
        progress(&scratch)["exercises"]["padding"]["solution_shown"],
        false
    );

    let whole = scratch.run(&["exercise", "check", "--all"]);
    assert!(
        whole.status == 0 && whole.stdout.contains("1 of 1 pass"),
        "{whole:?}"
    );
}

#[test]
fn nothing_that_was_written_is_lost() {
    let scratch = Scratch::new("exercise-kept");
    scratch.run(&["exercise", "start", "--all"]);
    scratch.write("workshop/copy.cu", "mine");
    let again = scratch.run(&["exercise", "start", "copy"]);
    assert!(again.stdout.contains("stays as it is"), "{again:?}");
    assert_eq!(scratch.read("workshop/copy.cu"), b"mine");
    for number in 1..=2 {
        scratch.write("workshop/copy.cu", format!("mine {number}"));
        let reset = scratch.run(&["exercise", "reset", "copy"]);
        assert!(
            reset.stdout.contains(&format!("copy.cu.old-{number}")),
            "{reset:?}"
        );
        assert_eq!(
            scratch.read(&format!("workshop/copy.cu.old-{number}")),
            format!("mine {number}").as_bytes()
        );
    }
    let skipped = scratch.run(&["exercise", "skip", "copy", "--reason", "no time"]);
    assert_eq!(skipped.status, 0, "{skipped:?}");
    assert_eq!(
        progress(&scratch)["exercises"]["copy"]["skipped"],
        "no time"
    );

    scratch.write("workshop/progress.json", "{\"schema\": 1, \"exer");
    let listed = scratch.run(&["exercise", "list"]);
    assert!(
        listed.status == 0 && listed.stderr.contains("is damaged"),
        "{listed:?}"
    );
    assert_eq!(
        scratch.read("workshop/progress.json"),
        b"{\"schema\": 1, \"exer"
    );
    let hint = scratch.run(&["exercise", "hint", "copy"]);
    assert!(
        hint.status == 0 && hint.stderr.contains("progress.json.damaged-1"),
        "{hint:?}"
    );
    assert_eq!(
        scratch.read("workshop/progress.json.damaged-1"),
        b"{\"schema\": 1, \"exer"
    );

    scratch.write("workshop/progress.json", "{\"schema\": 2}");
    scratch
        .run(&["exercise", "hint", "copy"])
        .fails(2, &["schema 2"]);
    assert_eq!(scratch.read("workshop/progress.json"), b"{\"schema\": 2}");
}

#[test]
fn processes_at_once_lose_no_entry() {
    let scratch = Scratch::new("exercise-race");
    scratch.run(&["exercise", "start", "copy", "padding"]);
    std::thread::scope(|scope| {
        for id in ["copy", "padding", "copy", "padding"] {
            let scratch = &scratch;
            scope.spawn(move || {
                for _ in 0..5 {
                    let hint = scratch.run(&["exercise", "hint", id]);
                    assert_eq!(hint.status, 0, "{hint:?}");
                }
            });
        }
    });
    let progress = progress(&scratch);
    for id in ["copy", "padding"] {
        assert_eq!(progress["exercises"][id]["hints"], 3, "{progress}");
    }
}

#[test]
fn a_report_shows_the_room_and_tells_what_is_damaged() {
    let scratch = Scratch::new("exercise-report");
    for name in ["ada", "ben"] {
        let dir = format!("homes/{name}/workshop");
        let started = scratch.run(&["exercise", "start", "copy", "--dir", &dir]);
        assert!(
            started.stdout.contains(&format!("--dir {dir}")),
            "{started:?}"
        );
    }
    let spaced = scratch.run(&["exercise", "start", "copy", "--dir", "my folder"]);
    assert!(spaced.stdout.contains("--dir \"my folder\""), "{spaced:?}");
    scratch.run(&["exercise", "hint", "copy", "--dir", "homes/ada/workshop"]);
    let report = scratch.run(&["exercise", "report", "homes", "--json"]);
    assert_eq!(report.status, 0, "{report:?}");
    let json = report.json();
    assert_eq!(json["participants"][0]["participant"], "ada");
    assert_eq!(json["participants"][0]["hints"], 1);
    scratch.write("homes/ben/workshop/progress.json", "[]");
    let report = scratch.run(&["exercise", "report", "homes"]);
    report.fails(2, &["ben", "damaged"]);
    assert!(report.stdout.contains("ada"), "{report:?}");
    scratch
        .run(&["exercise", "report", "nowhere"])
        .fails(2, &["no nowhere"]);
}

#[test]
fn bad_names_and_a_missing_compiler_have_their_sentences() {
    let scratch = Scratch::new("exercise-bad");
    scratch
        .run(&["exercise", "start", "pading"])
        .fails(2, &["did you mean `padding`?"]);
    scratch.run(&["exercise", "start", "padding"]);
    let none = [
        ("CORNERTURN_NVRTC", "/nowhere/libnvrtc.so"),
        ("CORNERTURN_COMPILER", "nvrtc"),
    ];
    let outcome = scratch.run_with(&["exercise", "check", "padding"], &none);
    outcome.fails(4, &["--install-compiler"]);
    scratch.write("workshop/padding.cu", [0xFF, 0xFE]);
    scratch
        .run(&["exercise", "check", "padding"])
        .fails(2, &["not UTF-8"]);
}

#[test]
fn a_seed_of_ones_own_repeats_a_verdict_and_is_not_noted() {
    let scratch = Scratch::new("exercise-seed");
    scratch.run(&["exercise", "start", "padding"]);
    let text = |seed: &str| {
        let outcome = scratch.run(&["exercise", "check", "padding", "--seed", seed]);
        assert_eq!(outcome.status, 1, "{outcome:?}");
        outcome.stdout
    };
    assert_eq!(text("11"), text("11"));
    assert!(text("11").contains("seed 11"));
    assert_ne!(text("11"), text("12"));
    write(&scratch, "padding", "solution");
    let passed = scratch.run(&["exercise", "check", "padding", "--seed", "11"]);
    assert_eq!(passed.status, 0, "{passed:?}");
    let entry = &progress(&scratch)["exercises"]["padding"];
    assert!(
        entry["passed"].is_null() && entry["attempts"] == 0,
        "{entry}"
    );
}

#[test]
fn an_edited_progress_file_is_told_and_its_passes_are_graded_again() {
    let scratch = Scratch::new("exercise-forged");
    scratch.run(&["exercise", "start", "padding", "edge"]);
    write(&scratch, "edge", "solution");
    scratch.run(&["exercise", "check", "edge"]);
    let report = |words: &[&str]| {
        let outcome =
            scratch.run(&[&["exercise", "report", "workshop", "--json"][..], words].concat());
        assert_eq!(outcome.status, 0, "{outcome:?}");
        outcome.json()["participants"][0].clone()
    };
    let honest = report(&[]);
    assert_eq!(
        (&honest["edited"], &honest["passed"]),
        (&false.into(), &1.into())
    );

    let mut forged = progress(&scratch);
    forged["exercises"]["padding"]["passed"] = 1.into();
    scratch.write("workshop/progress.json", forged.to_string());
    let told = report(&["--grade"]);
    assert_eq!(
        (&told["edited"], &told["passed"]),
        (&true.into(), &2.into())
    );
    assert_eq!(told["graded_again"], serde_json::json!(["edge"]));
    // A later entry does not wash it clean.
    scratch.run(&["exercise", "hint", "edge"]);
    assert_eq!(report(&[])["edited"], true);
    let table = scratch.run(&["exercise", "report", "workshop"]);
    assert!(table.stdout.contains("edited"), "{table:?}");
}

/// Asks the module of the pages.
#[cfg(feature = "book")]
fn ask_page(request: &Value) -> Value {
    let answer = cornerturn_page::ask(request.to_string().as_bytes());
    serde_json::from_str(&answer).unwrap()
}

#[cfg(feature = "book")]
fn begin_page() {
    let files = cornerturn_page::pack::exercises().unwrap();
    let taken = ask_page(&serde_json::json!({"verb": "files", "files": files}));
    assert_eq!(taken, serde_json::json!({}));
}

#[cfg(feature = "book")]
#[test]
fn answers_from_a_page_are_graded_and_those_of_the_terminal_reach_a_page() {
    let scratch = Scratch::new("exercise-page");
    let workshop = Workshop::load().unwrap();
    let variant = |id: &str, name: &str| workshop.get(id).unwrap().variant(name).unwrap();
    begin_page();
    let exported = ask_page(
        &serde_json::json!({"verb": "export", "participant": "Ada", "exercises": [
            {"id": "padding", "answer": variant("padding", "solution"), "passed": 1_800_000_000, "attempts": 2},
            {"id": "edge", "answer": variant("edge", "starter"), "passed": 1_800_000_060, "attempts": 1},
        ]}),
    );
    let file = "progress (1).json";
    scratch.write(file, exported["text"].as_str().unwrap());
    // Of somebody else, and beside a file of another name.
    scratch.write("edge.cu", variant("edge", "solution"));
    let report = scratch.run(&["exercise", "report", "--grade", "--json", file]);
    assert_eq!(report.status, 0, "{report:?}");
    let told = report.json()["participants"][0].clone();
    assert_eq!(
        (&told["passed"], &told["edited"]),
        (&2.into(), &false.into())
    );
    assert_eq!(told["graded_again"], serde_json::json!(["padding"]));
    assert_eq!(told["exercises"]["padding"].get("answer"), None);

    scratch.run(&["exercise", "start", "padding"]);
    scratch.run(&["exercise", "check", "padding"]);
    write(&scratch, "padding", "solution");
    let passed = scratch.run(&["exercise", "check", "padding"]);
    assert_eq!(passed.status, 0, "{passed:?}");
    let text = String::from_utf8(scratch.read("workshop/progress.json")).unwrap();
    let imported = ask_page(&serde_json::json!({"verb": "import", "text": text}));
    assert_eq!(imported["edited"], false);
    let entry = &imported["exercises"][0];
    assert_eq!(
        (&entry["id"], &entry["attempts"]),
        (&"padding".into(), &2.into())
    );
    assert_eq!(
        entry["answer"].as_str(),
        Some(&*variant("padding", "solution"))
    );
    // The file alone, sent to the teacher.
    scratch.run(&["exercise", "start", "copy", "--dir", "sent"]);
    scratch.write("sent/progress.json", text);
    let report = scratch.run(&["exercise", "report", "--grade", "--json", "sent"]);
    assert_eq!(
        report.json()["participants"][0]["graded_again"],
        serde_json::json!(["padding"])
    );
}

#[test]
fn predictions_are_graded_without_a_compiler() {
    let scratch = Scratch::new("exercise-predict");
    let none = [("CORNERTURN_NVRTC", "/nowhere/libnvrtc.so")];
    for id in ["strided", "profile"] {
        let started = scratch.run_with(&["exercise", "start", id], &none);
        assert!(started.stdout.contains("you are asked for"), "{started:?}");
        let open = scratch.run_with(&["exercise", "check", id], &none);
        assert!(
            open.status == 1 && open.stdout.contains("has no answer yet"),
            "{open:?}"
        );
        let solution = scratch.run_with(&["exercise", "solution", id, "--show-anyway"], &none);
        scratch.write(&format!("workshop/{id}.cu"), &solution.stdout);
        let passed = scratch.run_with(&["exercise", "check", id], &none);
        assert_eq!(passed.status, 0, "{passed:?}");
    }
    // A kernel needs one, and there is our own.
    scratch.run(&["exercise", "start", "copy"]);
    let outcome = scratch.run_with(&["exercise", "check", "copy"], &none);
    assert_eq!(outcome.status, 1, "{outcome:?}");
}

#[test]
fn a_pipeline_has_a_file_of_its_own_and_needs_no_compiler() {
    let scratch = Scratch::new("exercise-pipeline");
    let none = [("CORNERTURN_NVRTC", "/nowhere/libnvrtc.so")];
    let run = |words: &[&str]| scratch.run_with(&[&["exercise"], words].concat(), &none);
    let file = "workshop/missing_event.streams";
    let started = run(&["start", "missing_event.streams"]);
    assert!(started.stdout.contains(file), "{started:?}");
    let failed = run(&["check", file]);
    assert_eq!(failed.status, 1, "{failed:?}");
    assert!(
        failed.stdout.contains("nothing says which comes first"),
        "{failed:?}"
    );
    scratch.write(file, "streams up\nfor each part:\nupp.write(part)\n");
    let unread = run(&["check", "missing_event"]);
    assert!(
        unread.status == 1
            && unread
                .stdout
                .contains("missing_event.streams:3: there is no stream"),
        "{unread:?}"
    );
    let solution = run(&["solution", "missing_event", "--show-anyway"]);
    scratch.write(file, &solution.stdout);
    let passed = run(&["check", "--all"]);
    assert!(
        passed.status == 0 && passed.stdout.contains("1 of 1 pass"),
        "{passed:?}"
    );
    let reset = run(&["reset", "missing_event"]);
    assert!(
        reset.stdout.contains("missing_event.streams.old-1"),
        "{reset:?}"
    );
}

#[test]
#[cfg(unix)]
fn a_watch_checks_what_an_editor_replaces_and_ends_with_ctrl_c() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let scratch = Scratch::new("exercise-watch");
    scratch.run(&["exercise", "start", "padding"]);
    let watch = Command::new(env!("CARGO_BIN_EXE_cornerturn"))
        .args(["exercise", "watch"])
        .current_dir(scratch.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It has to have looked at the folder once.
    std::thread::sleep(Duration::from_secs(2));
    let workshop = Workshop::load().unwrap();
    let solution = workshop.get("padding").unwrap().solution();
    scratch.write("workshop/padding.cu~", solution);
    std::fs::rename(
        scratch.path().join("workshop/padding.cu~"),
        scratch.path().join("workshop/padding.cu"),
    )
    .unwrap();
    let start = Instant::now();
    while progress(&scratch)["exercises"]["padding"]["passed"].is_null() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "nothing was checked"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = watch.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    let output = watch.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("padding: passed") && said.contains("has ended"),
        "{said}"
    );
}
